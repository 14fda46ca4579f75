package arch

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
)

// AddFile adds the devices of a file to the table; see addReader.
func (t *Table) AddFile(path string) ([]note.Note, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, note.Faultf("device-file", note.Pos{File: path}, "give the path of a CSV file of devices",
			"the device file cannot be opened: %v", note.Reason(err))
	}
	defer f.Close() // it was only read
	return t.addReader(path, f)
}

// addReader adds the devices of a CSV table with the columns of devices.csv; docs/devices.md describes them. An entry
// with a key that the table has replaces that entry as a whole, with a note. Entries of device files win over
// built-in ones of the same name or PCI id, and their confidence is "user". Every fault is returned with its place,
// and then the table is as it was.
func (t *Table) addReader(name string, r io.Reader) ([]note.Note, error) {
	added, places, err := readDevices(name, r)
	if err != nil {
		return nil, err
	}
	devices := slices.Clone(t.devices)
	var notes []note.Note
	for i, d := range added {
		old, there := t.byKey[squash(d.Key)]
		if !there {
			devices = append(devices, d)
			continue
		}
		at := t.place[old]
		notes = append(notes, note.Note{Severity: note.Info, Code: "device-replaced", Pos: places[i],
			Text: fmt.Sprintf("the entry replaces device %s (%s)", devices[at].Key, devices[at].Name)})
		devices[at] = d
	}
	t.devices = devices
	t.index()
	return notes, nil
}

// readDevices decodes and checks a device file. The places are those of the keys.
func readDevices(name string, r io.Reader) ([]Device, []note.Pos, error) {
	s, err := table.Load(name, r, format[deviceRow]())
	if err != nil {
		return nil, nil, err
	}
	if len(s.Records) == 0 {
		return nil, nil, note.Faultf("device-file", note.Pos{File: name}, "see docs/devices.md for an example",
			"the device file has no rows; expected a header and a row for each device")
	}
	places := make([]note.Pos, len(s.Records))
	lines := map[string]int{}
	devices, err := table.Convert(s, func(i int, r *deviceRow) (Device, error) {
		d, p := r.checked()
		places[i] = s.Pos(i, "key")
		if line, twice := lines[squash(d.Key)]; twice && p == nil {
			p = problemf("key", "a key names one device", "%s is already in line %d", quoted(d.Key), line)
		}
		lines[squash(d.Key)] = places[i].Line
		d.Confidence = confidenceUser
		d.Source = cmp.Or(d.Source, "device file "+name)
		return d, p.at(s, i)
	})
	return devices, places, err
}
