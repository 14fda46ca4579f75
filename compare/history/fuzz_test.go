package history

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// FuzzOpen opens arbitrary bytes as a history, and a real history in which some
// bytes are replaced. It checks that nothing panics, and that a file of another
// kind is not changed.
func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "whole.db")
	d, err := Open(bg, path, Options{})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := d.Import(bg, pack([]Record{
		{Series: "k [1024 / 64, SIMD16]", Time: start, Values: values(Measured, 50), Device: "tgl"},
		{Series: "k [1024 / 64, SIMD16]", Time: start.Add(time.Hour), Values: values(Measured, 51), Device: "tgl"},
	})); err != nil {
		f.Fatal(err)
	}
	if err := d.Close(); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("SQLite format 3\x00"), uint32(0))
	f.Add([]byte("no database"), uint32(0))
	f.Add([]byte{}, uint32(0))
	for _, at := range []uint32{1, 17, 19, 25, 29, 45, 57, 101, 109, 4097, 4105, 8193, 40000} {
		f.Add([]byte{0xff, 0xff}, at)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, at uint32) {
		if at > 0 { // the bytes replace a part of a real history
			middle := bytes.Clone(whole)
			copy(middle[(int(at)-1)%len(whole):], data)
			data = middle
		}
		path := filepath.Join(dir, "h.db")
		for _, end := range []string{"", "-journal"} {
			os.Remove(path + end)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Open(bg, path, Options{Verify: at%2 == 0})
		if err != nil {
			after, rerr := os.ReadFile(path)
			if rerr != nil || !bytes.HasPrefix(data, []byte("SQLite format 3\x00")) && !bytes.Equal(after, data) {
				t.Errorf("a file of something else was changed: %v", rerr)
			}
			return
		}
		defer d.Close()
		if runs, err := d.List(bg); err == nil && len(runs) > 0 {
			d.Get(bg, runs[0].ID)
			d.Panel(bg, runs[0].ID, 5, Measured)
		}
		d.Panel(bg, 0, 0, Measured)
		d.Export(bg, func(Record) error { return nil })
	})
}
