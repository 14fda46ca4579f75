package arch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"occudiff/ingest/note"
)

// maxDeviceFile bounds what is read of a device file: a thousand devices take less than one of its megabytes.
const maxDeviceFile = 4 << 20

// AddFile adds the devices of a file to the table; see addReader.
func (t *Table) AddFile(path string) ([]note.Note, error) {
	f, err := os.Open(path)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err // the position says the path already
		}
		return nil, note.Faultf("device-file", note.Pos{File: path}, "give the path of a CSV file of devices", "the device file cannot be opened: %v", err)
	}
	defer f.Close() // it was only read
	return t.addReader(path, f)
}

// addReader adds the devices of a CSV table with the columns of devices.csv; docs/devices.md describes them. An entry with
// a key that the table has replaces that entry as a whole, with a note. Entries of device files win over built-in ones of
// the same name or PCI id, and their confidence is "user". The first fault is returned with its place, and then the table
// is as it was.
func (t *Table) addReader(name string, r io.Reader) ([]note.Note, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxDeviceFile+1))
	if err != nil {
		return nil, note.Faultf("device-file", note.Pos{File: name}, "", "the device file cannot be read: %v", err)
	}
	if len(data) > maxDeviceFile {
		return nil, note.Faultf("device-file", note.Pos{File: name}, "is it the right file?", "the device file is larger than %d MB", maxDeviceFile>>20)
	}
	added, places, err := readDevices(name, data)
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
func readDevices(name string, data []byte) ([]Device, []note.Pos, error) {
	s, err := readSheet(name, data)
	if errors.Is(err, errNoContent) || err == nil && len(s.rows) == 0 {
		return nil, nil, note.Faultf("device-file", note.Pos{File: name}, "see docs/devices.md for an example",
			"the device file has no rows; expected a header and a row for each device")
	}
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkHeader(columnsOf(deviceRow{}), requiredColumns()); err != nil {
		return nil, nil, err
	}
	var rows []deviceRow
	if err := s.decode(&rows); err != nil {
		return nil, nil, err
	}
	devices := make([]Device, len(rows))
	places := make([]note.Pos, len(rows))
	lines := map[string]int{}
	for i := range rows {
		d, p := rows[i].checked()
		if p != nil {
			return nil, nil, note.Faultf("device-file", s.placeOf(i, p.column), p.hint, "column %s: %s", p.column, p.text)
		}
		places[i] = s.placeOf(i, "key")
		if line, twice := lines[squash(d.Key)]; twice {
			return nil, nil, note.Faultf("device-file", places[i], "a key stands for one device", "column key: %s stands already in line %d", quoted(d.Key), line)
		}
		lines[squash(d.Key)] = places[i].Line
		d.Confidence = confidenceUser
		if d.Source == "" {
			d.Source = "device file " + name
		}
		devices[i] = d
	}
	return devices, places, nil
}
