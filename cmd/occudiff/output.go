package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/report/outfile"
)

// writer writes one output format.
type writer func(io.Writer) error

// outputs are the files of -o.
type outputs struct {
	set   outfile.Set
	files []*output
}

type output struct {
	path, ending string
	own          writer // instead of that of the ending; nil when there is none
	beside       bool   // it belongs to another file and goes without saying
}

// takesNoInputs are the commands whose arguments are names or the file that they write.
var takesNoInputs = []string{"devices", "explain", "export", "schema"}

// inputs gives the paths that a command reads: its arguments, and the files that flags name.
func (a *app) inputs(c *cobra.Command, args []string) []string {
	var paths []string
	if !slices.Contains(takesNoInputs, c.Name()) {
		paths = append(paths, args...)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == "db":
			paths = append(paths, a.dsn(f.Value.String()))
		case f.Name != "output" && len(f.Annotations[flagFiles]) > 0:
			paths = append(paths, f.Value.String())
		}
	})
	return paths
}

// openOutputs checks the endings and opens the files.
func (a *app) openOutputs(paths []string, endings ...string) (*outputs, error) {
	o := &outputs{set: outfile.Set{Inputs: a.reads, Stopped: a.stopped}}
	for _, p := range paths {
		ending := strings.ToLower(filepath.Ext(p))
		var err error
		if !slices.Contains(endings, ending) {
			err = usageErrorf("-o %s: this command writes %s; the ending picks the format", p, strings.Join(endings, " "))
		} else {
			err = o.open(p, ending)
		}
		if err != nil {
			o.discard()
			return nil, err
		}
	}
	return o, nil
}

func (o *outputs) open(p, ending string) error {
	if err := o.set.Open(p); err != nil {
		return usageErrorf("-o %s %v", p, err)
	}
	o.files = append(o.files, &output{path: o.set.Path(len(o.files)), ending: ending})
	return nil
}

// write writes every output with the writer of its ending and puts them in place: all are written before any is renamed.
func (o *outputs) write(writers map[string]writer) error {
	return o.set.Write(func(i int, w io.Writer) error {
		if own := o.files[i].own; own != nil {
			return own(w)
		}
		return writers[o.files[i].ending](w)
	})
}

// discard removes what has not been put in place; it may be called more than once.
func (o *outputs) discard() { o.set.Discard() }

// names lists the paths for a message.
func (o *outputs) names() string {
	var n []string
	for _, f := range o.files {
		if !f.beside {
			n = append(n, f.path)
		}
	}
	return strings.Join(n, ", ")
}
