package vtuneresult

import (
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest/unit"
)

// analyses are the words for kinds of analysis, as a .vtune file has them.
var analyses = map[string]string{"gh": "gpu-hotspots", "go": "gpu-offload", "hs": "hotspots",
	"ps": "performance-snapshot"}

// readMark takes from the .vtune file what it says of the machine, and gives the kind of analysis: "gh" for gpu-hotspots.
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
	p.VTune = c.Product[strings.LastIndex(c.Product, " ")+1:] // of "Intel VTune Profiler 2023.0.0"
	if begin := max(c.Begin, c.Time); begin > 0 {
		p.Collected = time.Unix(begin, 0).UTC()
	}
	return c.Analysis, nil
}

// readOptions takes the command line and the interval that was asked for, if the file is there: projects in git often leave
// the folder out. The command is the profiled program with its arguments, which reports give to run it again.
func (r *reader) readOptions() {
	f, err := r.fs.Open(path.Join(r.dir, "config", "runsa.options"))
	if err != nil {
		return
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxXML)) // what there is of it
	// An option a line; what follows -- is the program, a word a line.
	options, command, _ := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n--\n")
	r.file.Platform.Command = strings.ReplaceAll(strings.TrimSuffix(command, "\n"), "\n", " ")
	// --gpu-sampling-interval=0:0:2.0|1: an adapter, and milliseconds.
	_, value, _ := strings.Cut(options, "--gpu-sampling-interval=")
	value, _, _ = strings.Cut(value, "\n")
	if ms, err := strconv.ParseFloat(value[strings.Index(value, "|")+1:], 64); err == nil && ms > 0 {
		r.asked = unit.Some(unit.Seconds(ms / 1e3))
	}
}
