package vecadd

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"occudiff/ingest"
)

// A job is the frame that DevCloud puts around a job's output:
//
// ######################################################################## #
// Date: Wed Jun 12 10:18:22 AM PDT 2024 # Job ID: 2555039.v-qsvr-1.aidevcloud #
// User: u222228 # Resources:
// cput=75:00:00,neednodes=1:gen9:ppn=2,nodes=1:gen9:ppn=2,walltime=06:00:00
// ######################################################################## ...
// ######################################################################## #
// End of output for job 2555039.v-qsvr-1.aidevcloud # Date: Wed Jun 12 10:18:33
// AM PDT 2024
// ########################################################################
type job struct {
	seen  bool // whether a frame line was read
	ended bool
}

// line reports whether a text is a line in the frame, and reads it.
func (j *job) line(text string, p *ingest.Platform) bool {
	if !strings.HasPrefix(text, "#") {
		return false
	}
	name, value, ok := strings.Cut(strings.TrimSpace(strings.TrimLeft(text, "#")), ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case strings.HasPrefix(name, "End of output for job"):
		j.ended = true
		p.JobID = cmp.Or(p.JobID, strings.TrimSpace(strings.TrimPrefix(name, "End of output for job")))
	case !ok || value == "":
	case name == "Date":
		if p.Collected.IsZero() && !j.ended {
			p.Collected = parseDate(value)
		}
	case name == "Job ID":
		p.JobID = cmp.Or(p.JobID, value)
	case name == "Resources":
		j.resources(value, p)
	}
	j.seen = true
	return true
}

// resources reads the node property from `neednodes=1:gen9:ppn=2`. Once a job
// runs, PBS may print the host instead of the count.
func (j *job) resources(text string, p *ingest.Platform) {
	for _, r := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(r), "=")
		if name != "neednodes" && name != "nodes" {
			continue
		}
		for i, part := range strings.Split(value, ":") {
			switch {
			case part == "" || strings.Contains(part, "="):
			case i == 0 && strings.Trim(part, "0123456789") == "":
			case i == 0:
				p.Host = cmp.Or(p.Host, part)
			// `nodes=1:gpu:ppn=2`, the notebook script's default, requests any
			// GPU; `nodes=1:gpu:gen9:ppn=2` requests gen9.
			case p.NodeProperty == "" &&
				!slices.Contains([]string{"gpu", "dual_gpu", "quad_gpu", "batch", "core", "xeon"}, part):
				p.NodeProperty = part
			}
		}
	}
}

// parseDate returns the date that `date` prints in the frame, in one of two
// locales' forms. Go cannot resolve a time zone's short name without a table. A
// date with an unknown zone is absent, because it could be wrong by a day.
func parseDate(text string) time.Time {
	fields := strings.Fields(text)
	zone := -1
	for i, f := range fields {
		if _, ok := zones[f]; ok {
			zone = i
		}
	}
	if zone < 0 {
		return time.Time{}
	}
	loc := time.FixedZone(fields[zone], zones[fields[zone]]*3600)
	rest := strings.Join(slices.Delete(fields, zone, zone+1), " ")
	for _, layout := range []string{"Mon Jan 2 03:04:05 PM 2006", "Mon Jan 2 15:04:05 2006",
		"Mon 2 Jan 2006 03:04:05 PM", "Mon 2 Jan 2006 15:04:05"} {
		if t, err := time.ParseInLocation(layout, rest, loc); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// zones maps the time zones that `date` prints to their offset in hours.
var zones = map[string]int{"UTC": 0, "GMT": 0, "Z": 0, "PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "EST": -5, "EDT": -4,
	"CET": 1, "CEST": 2}
