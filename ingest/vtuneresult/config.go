package vtuneresult

import (
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// config is what a result says of its collection. Only the .vtune file is always there.
type config struct {
	platform ingest.Platform
	analysis string // "gh" for gpu-hotspots
	asked    unit.Opt[unit.Seconds]
}

// analyses are the words for kinds of analysis, as a .vtune file has them.
var analyses = map[string]string{"gh": "gpu-hotspots", "go": "gpu-offload", "hs": "hotspots",
	"ps": "performance-snapshot"}

// readConfig reads the files of the configuration that are there.
func readConfig(fsys FS, dir, mark string) (c config, err error) {
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
	if err := decodeXML(fsys, path.Join(dir, mark), &v); err != nil {
		return c, err
	}
	r := v.Collection
	c.analysis = r.Analysis
	version := r.Product[strings.LastIndex(r.Product, " ")+1:] // of "Intel VTune Profiler 2023.0.0"
	c.platform = ingest.Platform{Host: r.Host, OS: r.OS, VTune: version}
	if begin := max(r.Begin, r.Time); begin > 0 {
		c.platform.Collected = time.Unix(begin, 0).UTC()
	}
	c.options(fsys, path.Join(dir, "config", "runsa.options"))
	return c, nil
}

// options takes the command line and the interval that was asked for, if the file is there: projects in git often leave
// the folder out. The command is the profiled program with its arguments, which reports give to run it again.
func (c *config) options(fsys FS, name string) {
	f, err := fsys.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxXML)) // what there is of it
	// An option a line; what follows -- is the program, a word a line.
	options, command, _ := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n--\n")
	c.platform.Command = strings.ReplaceAll(strings.TrimSuffix(command, "\n"), "\n", " ")
	// --gpu-sampling-interval=0:0:2.0|1: an adapter, and milliseconds.
	_, value, _ := strings.Cut(options, "--gpu-sampling-interval=")
	value, _, _ = strings.Cut(value, "\n")
	if ms, err := strconv.ParseFloat(value[strings.Index(value, "|")+1:], 64); err == nil && ms > 0 {
		c.asked = unit.Some(unit.Seconds(ms / 1e3))
	}
}
