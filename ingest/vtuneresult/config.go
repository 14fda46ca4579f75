package vtuneresult

import (
	"bufio"
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
	c.platform = ingest.Platform{Host: r.Host, OS: r.OS}
	// "Intel VTune Profiler 2023.0.0"
	if words := strings.Fields(r.Product); len(words) > 0 {
		c.platform.VTune = words[len(words)-1]
	}
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
	var command []string
	program := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if program {
			command = append(command, line)
			continue
		}
		program = line == "--"
		if value, ok := strings.CutPrefix(line, "--gpu-sampling-interval="); ok {
			// --gpu-sampling-interval=0:0:2.0|1: an adapter, and milliseconds. What follows -- is the program, a word
			// a line.
			if _, ms, ok := strings.Cut(value, "|"); ok {
				value = ms
			}
			if n, err := strconv.ParseFloat(value, 64); err == nil && n > 0 {
				c.asked = unit.Some(unit.Seconds(n / 1e3))
			}
		}
	}
	c.platform.Command = strings.Join(command, " ")
}
