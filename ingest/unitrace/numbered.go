package unitrace

import (
	"regexp"
	"strconv"

	"occudiff/ingest/names"
	"occudiff/ingest/note"
)

// numbered are a timeline's launches whose names end in a number, such as
// "Fan2<287>". The OpenCL backend of onetrace appends the command's number, and
// a template argument looks the same. Commands have ascending numbers that
// occur once, across several kernels. So the launches are kept until the end of
// the file, or until a number contradicts that.
type numbered struct {
	list       []numberedLaunch
	kernels    map[string]int32 // names without the number, and their index
	names      []string
	last       int64 // largest number
	isTemplate bool
}

// numberedLaunch is a launch with its name's parts.
type numberedLaunch struct {
	kernel             int32
	number, start, end int64
	device             string
	pos                note.Pos
}

// number matches a number without a point at an unquoted name's end.
var number = regexp.MustCompile(`^(.*\S)<(\d{1,18})>$`)

// keep reports whether it has kept a launch for the end of the file.
func (r *reader) keep(name string, l numberedLaunch) bool {
	match := number.FindStringSubmatch(name)
	n := &r.numbered
	if match == nil || n.isTemplate {
		return false
	}
	if l.number, _ = strconv.ParseInt(match[2], 10, 64); l.number <= n.last {
		n.isTemplate = true
		r.endNumbered()
		return false
	}
	var known bool
	if l.kernel, known = n.kernels[match[1]]; !known {
		if n.kernels == nil {
			n.kernels = map[string]int32{}
		}
		l.kernel = int32(len(n.names))
		n.kernels[match[1]] = l.kernel
		n.names = append(n.names, match[1])
	}
	n.list, n.last = append(n.list, l), l.number
	return true
}

// endNumbered adds the launches that were kept.
func (r *reader) endNumbered() {
	n := &r.numbered
	if len(n.names) < 2 {
		n.isTemplate = true
	}
	for i := range n.list {
		l := &n.list[i]
		name := n.names[l.kernel]
		if n.isTemplate {
			name += "<" + strconv.FormatInt(l.number, 10) + ">"
		}
		if t, err := names.ParseLaunch(name, false); err == nil {
			r.launched(&t, l.start, l.end, l.device, l.pos, false)
		}
	}
	n.list = nil
}
