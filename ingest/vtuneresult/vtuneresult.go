// Package vtuneresult reads the result folder that VTune's GPU analyses leave,
// without VTune: every sample of the counters, the equations that make metrics
// of them, and when each launch ran. It computes the columns of VTune's reports
// as VTune prints them, and the means over the launches themselves. What it
// does not know of a folder it refuses with words; it does not know exports,
// devices or predictions.
//
// What is known of the layout was measured on results of VTune 2023.0 of two
// generations of GPUs, and holds for Level Zero programs. Equations are
// evaluated as the folder has them, so that other sets and GPUs need no change
// here.
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

// The codes of errors.
const (
	codeDamaged     = "damaged-result"
	codeCut         = "cut-result"
	codeNoOccupancy = "no-occupancy"
	codeNoCounters  = "no-counters"
	codeNoResult    = "no-result"
	// The parts of the folder say different things.
	codeContradiction = "contradicting-result"
)

const tableHint = "give VTune's table instead: vtune -report hotspots -r RESULT -group-by computing-task -format csv " +
	"-csv-delimiter comma -report-output run.csv"

const collectHint = "collect with: vtune -collect gpu-hotspots"

// Format is a result folder, or an archive of one.
type Format struct{}

// Kind implements ingest.Format.
func (Format) Kind() string { return "vtune-result" }

// Description implements ingest.Format.
func (Format) Description() string { return "an archive of a VTune result" }

// Sniff implements ingest.Format: an archive, whose names are looked at when it
// is read.
func (Format) Sniff(head []byte) bool { return isZip(head) || isTar(head) }

// Read implements ingest.Format.
func (Format) Read(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	head, err := src.R.(*bufio.Reader).Peek(512)
	if err != nil && err != io.EOF {
		return nil, err
	}
	fsys, done, err := openArchive(ctx, src, head)
	defer done()
	if _, worded := errors.AsType[*note.InputError](err); worded || errors.Is(err, context.Canceled) {
		return nil, err
	} else if err != nil {
		return nil, note.Errorf(codeDamaged, note.Pos{File: src.Path}, "pack the result folder again, or give the folder",
			"the archive cannot be read: %v", note.Reason(err))
	}
	f, err := read(ctx, fsys, opt)
	if err == nil {
		f.Digest = "" // that of its bytes
	}
	return f, err
}

// ReadFolder implements ingest.FolderReader. The digest of a folder is that of
// the samples, since VTune writes caches and logs into it long after.
func (Format) ReadFolder(ctx context.Context, fsys fs.FS, path string, opt ingest.ReadOptions) (*ingest.File, error) {
	return read(ctx, FS{FS: fsys, Path: path}, opt)
}

// reader reads one result.
type reader struct {
	ctx    context.Context
	fs     FS
	dir    string
	opt    ingest.ReadOptions
	data   []string               // the files of data.N
	asked  unit.Opt[unit.Seconds] // the sampling interval
	device gpu
	file   *ingest.File
}

func read(ctx context.Context, fsys FS, opt ingest.ReadOptions) (*ingest.File, error) {
	marks, err := fsys.results()
	switch {
	case err != nil:
		return nil, err
	case len(marks) == 0:
		return nil, note.Errorf(ingest.CodeUnknown, note.Pos{File: fsys.Path}, "give the export, or pack the whole "+
			"result folder", "this holds no VTune result: none of its files ends in .vtune")
	case len(marks) > 1 && (opt.Result == 0 || opt.Result > len(marks)):
		return nil, ingest.NewMultipleResultsError(len(marks), note.Errorf(codeNoResult, note.Pos{File: fsys.Path},
			"give it to occudiff validate, or unpack it and give one of its folders",
			"the archive holds %d results, of which %s is the first", len(marks), path.Dir(marks[0])))
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
			adapters = append(adapters, &adapter{reader: r, setFile: name, sampleFile: stem + ".vtss", lengths: lengths{}})
		}
	}
	if len(adapters) == 0 {
		return nil, note.Errorf(codeNoCounters, fsys.pos(r.dir), collectHint,
			"no GPU counters in this result, which was collected with %s: data.* holds no gen_metrics*.cfg with a "+
				".vtss next to it", cmp.Or(analyses[analysis], analysis))
	}
	return r.adapters(adapters)
}

// adapters reads the counters of each adapter, and takes those of the one on
// which threads ran.
func (r *reader) adapters(list []*adapter) (*ingest.File, error) {
	sum := sha256.New()
	var used *adapter
	for _, a := range list {
		if err := a.read(sum); err != nil {
			return nil, err
		}
		// Never merged: each adapter has its own clock and its own thread
		// slots.
		if used != nil && used.busy.n > 0 && a.busy.n > 0 {
			return nil, note.Errorf("two-adapters", r.fs.pos(a.sampleFile), "let the program use one of them",
				"threads ran on more than one adapter or tile, and on which one a launch ran is not known")
		}
		if used == nil || a.busy.n > 0 {
			used = a
		}
	}
	if n := len(list) - 1; n > 0 {
		r.note(note.Info, "idle-adapters", r.fs.pos(used.sampleFile), "", "no threads ran on %s, whose counters the "+
			"result holds too", unit.Plural(int64(n), "other adapter"))
	}
	r.file.Digest = fmt.Sprintf("sha256:%x", sum.Sum(nil))
	used.finish()
	return r.file, nil
}

func (r *reader) note(severity note.Severity, code string, pos note.Pos, hint, format string, args ...any) {
	r.file.Notes = append(r.file.Notes, note.Note{Severity: severity, Code: code, Pos: pos, Hint: hint,
		Text: fmt.Sprintf(format, args...)})
}

// analyses are the words for kinds of analysis, as a .vtune file has them.
var analyses = map[string]string{"gh": "gpu-hotspots", "go": "gpu-offload", "hs": "hotspots",
	"ps": "performance-snapshot"}

// readMark takes from the .vtune file what it says of the machine, and gives
// the kind of analysis: "gh" for gpu-hotspots.
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
		p.VTune = words[len(words)-1] // of "Intel VTune Profiler 2023.0.0"
	}
	if begin := max(c.Begin, c.Time); begin > 0 {
		p.Collected = time.Unix(begin, 0).UTC()
	}
	return c.Analysis, nil
}

// readOptions takes the command line and the interval that was asked for, if
// the files are there: projects in git often leave the folder out. The command
// is the profiled program with its arguments, which reports give to run it
// again.
func (r *reader) readOptions() {
	ask := func(text string) {
		if ms, err := strconv.ParseFloat(text, 64); err == nil && ms > 0 {
			r.asked = unit.Some(unit.Seconds(ms / 1e3))
		}
	}
	// What the collector knew, where the options name no interval. The value
	// has its type as a namespace: int:value.
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
	text, _ := io.ReadAll(io.LimitReader(f, maxXML)) // what there is of it
	// An option a line; what follows -- is the program, a word a line.
	options, command, _ := strings.Cut("\n"+strings.ReplaceAll(string(text), "\r\n", "\n"), "\n--\n")
	r.file.Platform.Command = strings.ReplaceAll(strings.TrimSuffix(command, "\n"), "\n", " ")
	// --gpu-sampling-interval=0:0:2.0|1: an adapter, and milliseconds. The last
	// one counts.
	const option = "\n--gpu-sampling-interval="
	if at := strings.LastIndex(options, option); at >= 0 {
		value, _, _ := strings.Cut(options[at+len(option):], "\n")
		ask(value[strings.Index(value, "|")+1:])
	}
}
