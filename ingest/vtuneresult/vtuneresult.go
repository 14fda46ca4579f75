// Package vtuneresult reads the result folder of a VTune GPU analysis without
// VTune: every counter sample, the equations that convert them to metrics, and
// the launch times. It computes the columns in VTune's reports with the values
// that VTune prints, and the means over the launches themselves. It returns an
// error for any unknown part in a folder. It does not know exports, devices, or
// predictions.
//
// The layout was determined from VTune 2023.0 results on two GPU generations,
// for Level Zero programs. The equations come from the folder, so that other
// metric sets and GPUs need no change here.
package vtuneresult

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Error codes.
const (
	codeDamaged     = "damaged-result"
	codeCut         = "cut-result"
	codeNoOccupancy = "no-occupancy"
	codeNoCounters  = "no-counters"
	codeNoResult    = "no-result"
	// The folder's parts contradict each other.
	codeContradiction = "contradicting-result"
)

const tableHint = "give VTune's table instead: vtune -report hotspots -r RESULT -group-by computing-task -format csv " +
	"-csv-delimiter comma -report-output run.csv"

const collectHint = "collect with: vtune -collect gpu-hotspots"

// Format reads a result folder, or its archive.
var Format = ingest.Format{Kind: "vtune-result", Description: "an archive of a VTune result",
	Sniff: sniff, Read: readSource, ReadFolder: readResult}

// sniff reports whether the file is an archive, whose content is checked when
// it is read.
func sniff(head []byte) bool { return isZip(head) || isTar(head) }

// readSource returns the file's content.
func readSource(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	head, err := src.R.(*bufio.Reader).Peek(512)
	if err != nil && err != io.EOF {
		return nil, err
	}
	fsys, done, err := openArchive(ctx, src, head)
	defer done()
	if _, worded := errors.AsType[*note.InputError](err); worded || errors.Is(err, context.Canceled) {
		return nil, err
	} else if err != nil {
		return nil, note.Errorf(codeDamaged, note.InFile(src.Path),
			"pack the result folder again, or pass the folder",
			"the archive cannot be read: %v", note.Reason(err))
	}
	f, err := read(ctx, fsys, opt)
	if err == nil {
		f.Digest = "" // use the archive's digest
	}
	return f, err
}

// readResult returns a folder's content. The folder's digest is the samples'
// digest, because VTune writes caches and logs into it much later.
func readResult(ctx context.Context, fsys fs.FS, path string, opt ingest.ReadOptions) (*ingest.File, error) {
	return read(ctx, FS{FS: fsys, Path: path}, opt)
}

// A reader reads one result.
type reader struct {
	ctx    context.Context
	fs     FS
	dir    string
	opt    ingest.ReadOptions
	data   []string               // files in all data.N folders
	asked  unit.Opt[unit.Seconds] // requested sampling interval
	device gpu
	file   *ingest.File
}

func read(ctx context.Context, fsys FS, opt ingest.ReadOptions) (*ingest.File, error) {
	marks, err := fsys.results()
	switch {
	case err != nil:
		return nil, err
	case len(marks) == 0:
		return nil, note.Errorf(ingest.CodeUnknown, note.InFile(fsys.Path), "give the export, or pack the whole "+
			"result folder", "this contains no VTune result: none of its files ends with .vtune")
	case len(marks) > 1 && (opt.Result == 0 || opt.Result > len(marks)):
		return nil, ingest.NewMultipleResultsError(len(marks), note.Errorf(codeNoResult, note.InFile(fsys.Path),
			"pass it to occudiff validate, or unpack it and pass one of its folders",
			"the archive contains %d results, the first of which is %s", len(marks), path.Dir(marks[0])))
	}
	mark := marks[max(0, opt.Result-1)]
	r := &reader{ctx: ctx, fs: fsys, dir: path.Dir(mark), opt: opt, file: &ingest.File{}}
	analysis, err := r.readMark(mark)
	if err != nil {
		return nil, err
	}
	r.readOptions()
	if r.data, err = fsys.data(r.dir); err != nil {
		return nil, fsys.unreadable(r.dir, "", err)
	}
	var adapters []*adapter
	for _, name := range r.data {
		stem, ok := strings.CutSuffix(name, ".cfg")
		if ok && strings.HasPrefix(path.Base(stem), "gen_metrics") && slices.Contains(r.data, stem+".vtss") {
			a := &adapter{reader: r, setFile: name, sampleFile: stem + ".vtss", lengths: lengths{}}
			adapters = append(adapters, a)
		}
	}
	if len(adapters) == 0 {
		return nil, note.Errorf(codeNoCounters, fsys.pos(r.dir), collectHint,
			"no GPU counters in this result, which was collected with %s: data.* contains no gen_metrics*.cfg "+
				"with a .vtss next to it", cmp.Or(analyses[analysis], analysis))
	}
	return r.adapters(adapters)
}

// adapters returns the content for the adapter on which threads ran, after
// reading each adapter's counters.
func (r *reader) adapters(list []*adapter) (*ingest.File, error) {
	sum := sha256.New()
	var used *adapter
	for _, a := range list {
		if err := a.read(sum); err != nil {
			return nil, err
		}
		// Adapters are never merged, because each has its own clock and its own
		// thread slots.
		if used != nil && used.busy.n > 0 && a.busy.n > 0 {
			return nil, note.Errorf("two-adapters", r.fs.pos(a.sampleFile), "let the program use one of them",
				"threads ran on more than one adapter or tile, and it is unknown on which one each launch ran")
		}
		if used == nil || a.busy.n > 0 {
			used = a
		}
	}
	if n := len(list) - 1; n > 0 {
		r.note(note.Info, "idle-adapters", r.fs.pos(used.sampleFile), "", "no threads ran on %s, whose counters "+
			"are also in the result", unit.Plural(int64(n), "other adapter"))
	}
	r.file.Digest = fmt.Sprintf("sha256:%x", sum.Sum(nil))
	used.finish()
	return r.file, nil
}

func (r *reader) note(severity note.Severity, code string, pos note.Pos, hint, format string, args ...any) {
	r.file.Notes = append(r.file.Notes, note.Newf(severity, code, pos, hint, format, args...))
}

// analyses maps the analysis kinds in a .vtune file to their names.
var analyses = map[string]string{"gh": "gpu-hotspots", "go": "gpu-offload", "hs": "hotspots",
	"ps": "performance-snapshot"}

// readMark reads the machine's description from the .vtune file. It returns the
// analysis kind, for example "gh" for gpu-hotspots.
func (r *reader) readMark(name string) (analysis string, err error) {
	var v struct {
		Collection struct {
			Begin    int64  `xml:"collectionTimeBegin"`
			Time     int64  `xml:"timestamp"`
			Host     string `xml:"hostname"`
			OS       string `xml:"os"`
			Product  string `xml:"product"`
			Analysis string `xml:"variables>at"`
		} `xml:"rdmgr"`
	}
	if err := decodeXML(r.fs, name, &v); err != nil {
		return "", err
	}
	c, p := v.Collection, &r.file.Platform
	p.Host, p.OS = c.Host, c.OS
	if words := strings.Fields(c.Product); len(words) > 0 {
		p.VTune = words[len(words)-1] // from "Intel VTune Profiler 2023.0.0"
	}
	if begin := max(c.Begin, c.Time); begin > 0 {
		p.Collected = time.Unix(begin, 0).UTC()
	}
	return c.Analysis, nil
}

// readOptions reads the command line and the requested interval if the files
// exist. Projects in git often omit this folder. The command is the profiled
// program with its arguments, which reports print for rerunning it.
func (r *reader) readOptions() {
	ask := func(text string) {
		if ms, err := strconv.ParseFloat(text, 64); err == nil && ms > 0 {
			r.asked = unit.Some(unit.Seconds(ms / 1e3))
		}
	}
	// Use the collector's value if the options contain no interval. The
	// attribute's namespace is its type: int:value.
	var known struct {
		Values []struct {
			ID    string `xml:"id,attr"`
			Value string `xml:"value,attr"`
		} `xml:"contextValue"`
	}
	if decodeXML(r.fs, path.Join(r.dir, "config", "context_values.cfg"), &known) == nil {
		for _, v := range known.Values {
			if v.ID == "gpuSamplingInterval" {
				ask(v.Value)
			}
		}
	}
	f, err := r.fs.Open(path.Join(r.dir, "config", "runsa.options"))
	if err != nil {
		return
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxXML)) // the part that can be read
	// Each option is a line. After --, each word in the program's command line
	// is a line.
	options, command, _ := strings.Cut("\n"+strings.ReplaceAll(string(text), "\r\n", "\n"), "\n--\n")
	r.file.Platform.Command = strings.ReplaceAll(strings.TrimSuffix(command, "\n"), "\n", " ")
	// The form is --gpu-sampling-interval=0:0:2.0|1: an adapter, and
	// milliseconds. The last one is used.
	const option = "\n--gpu-sampling-interval="
	if at := strings.LastIndex(options, option); at >= 0 {
		value, _, _ := strings.Cut(options[at+len(option):], "\n")
		ask(value[strings.Index(value, "|")+1:])
	}
}
