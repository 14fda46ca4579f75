package vtuneresult

import (
	"bufio"
	"encoding/xml"
	"io/fs"
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
	c.context(fsys, path.Join(dir, "config", "context_values.cfg"))
	c.options(fsys, path.Join(dir, "config", "runsa.options"))
	return c, nil
}

// context takes the values that the collector knew of the device, if the file is there and can be read.
// Projects in git often leave the file out (.gitignore), so its absence is no fault.
func (c *config) context(fsys FS, name string) {
	var v struct {
		Values []struct {
			ID         string     `xml:"id,attr"`
			Attributes []xml.Attr `xml:",any,attr"`
		} `xml:"contextValue"`
	}
	if _, err := fs.Stat(fsys, name); err != nil || decodeXML(fsys, name, &v) != nil {
		return
	}
	for _, x := range v.Values {
		for _, a := range x.Attributes {
			// The value has its type as a namespace: int:value, unsignedLong:value, value.
			n, err := strconv.ParseFloat(a.Value, 64)
			if x.ID == "gpuSamplingInterval" && a.Name.Local == "value" && err == nil && n > 0 {
				c.asked = unit.Some(unit.Seconds(n / 1e3))
			}
		}
	}
}

// options takes the command line and the interval that was asked for.
// The command is the profiled program with its arguments, which reports give to run it again.
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
