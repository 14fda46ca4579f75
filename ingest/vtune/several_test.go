package vtune

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/scan"
)

// exportsOf returns each export in a file in the same form as listed.
func exportsOf(f *ingest.File, err error) (got []string) {
	got = listed(f, err)
	if err == nil {
		for _, p := range f.Further {
			got = append(got, listed(p, nil)...)
		}
	}
	return got
}

// TestSeveralExports reads files that contain several exports. A header line
// starts another export with its own columns and delimiter, wherever blocks
// end.
func TestSeveralExports(t *testing.T) {
	const (
		first = "Computing Task,Work Size:Global,Total Time,Instance Count,XVE Threads Occupancy(%),XVE Array:Idle(%)\n" +
			"copy_k,64,1.000000,10,95.0,3.0\n"
		second = "Computing Task,Work Size:Global,Total Time,Instance Count,XVE Array:Idle(%),XVE Threads Occupancy(%)\n" +
			"scale_k,64,1.000000,10,3.0,95.0\n"
		copyK   = "2|copy_k|64||-||n 10|t 1|measured 95|idle 3|threads -|barriers -|spill -"
		scaleK  = "4|scale_k|64||-||n 10|t 1|measured 95|idle 3|threads -|barriers -|spill -"
		message = "vtune: Executing actions 75% Generating a report\nvtune: Executing actions 100% done"
	)
	semicolons := strings.NewReplacer(",", ";", ".", ",").Replace(second)
	for _, c := range []struct {
		reason, text string
		want         []string
	}{
		{"other columns", first + second, []string{"1 rows, 0 bad", copyK, "1 rows, 0 bad", scaleK}},
		{"another delimiter and decimal mark", first + semicolons, []string{"1 rows, 0 bad", copyK, "1 rows, 0 bad", scaleK}},
		{"the other way around", semicolons + first, []string{
			"1 rows, 0 bad", "2" + scaleK[1:], "1 rows, 0 bad", "4" + copyK[1:]}},
		{"tabs and a quoted header", first + strings.ReplaceAll(strings.Replace(second, "Computing Task", `"Computing Task"`, 1), ",", "\t"),
			[]string{"1 rows, 0 bad", copyK, "1 rows, 0 bad", scaleK}},
		{"more columns", first + "GPU Adapter,Computing Task,Total Time,Instance Count,XVE Threads Occupancy(%),Work Size:Global,XVE Array:Idle(%)\n" +
			"GPU 0,scale_k,1.000000,10,95.0,64,3.0\n", []string{"1 rows, 0 bad", copyK, "1 rows, 0 bad", scaleK + "|device GPU 0"}},
		{"messages and blank lines between them, one glued to the header", first + "\n" + message + second, []string{
			"1 rows, 0 bad", copyK, "1 rows, 0 bad", "6" + scaleK[1:]}},
		{"Windows line ends", strings.ReplaceAll(first+second, "\n", "\r\n"), []string{"1 rows, 0 bad", copyK, "1 rows, 0 bad", scaleK}},
		{"a byte order mark before each", "\ufeff" + first + "\ufeff" + second, []string{
			"1 rows, 0 bad", copyK, "1 rows, 0 bad", scaleK}},
		{"the index of a data frame", "," + strings.Replace(first, "copy_k", "0,copy_k", 1) + "," + strings.Replace(second, "scale_k", "0,scale_k", 1),
			[]string{"1 rows, 0 bad", copyK, "1 rows, 0 bad", scaleK}},
		{"a name with several lines, one of which looks like a header", first + "\"f<1,\nComputing Task,Total Time>\",64,1.000000,10,95.0,3.0\n" + second, []string{
			"2 rows, 0 bad", copyK, "3|f<1,\nComputing Task,Total Time>|64||-||n 10|t 1|measured 95|idle 3|threads -|barriers -|spill -",
			"1 rows, 0 bad", "6" + scaleK[1:]}},
		{"a quote within a name", first + "5\"x,64,1.000000,10,95.0,3.0\n" + second, []string{
			"2 rows, 0 bad", copyK, "3|5\"x|64||-||n 10|t 1|measured 95|idle 3|threads -|barriers -|spill -",
			"1 rows, 0 bad", "5" + scaleK[1:]}},
		{"kernels whose names begin like a header", first + "Computing,64,1.000000,10,95.0,3.0\nSource C,64,1.000000,10,95.0,3.0\n", []string{
			"3 rows, 0 bad", copyK, "3|Computing|64||-||n 10|t 1|measured 95|idle 3|threads -|barriers -|spill -",
			"4|Source C|64||-||n 10|t 1|measured 95|idle 3|threads -|barriers -|spill -"}},
		{"three exports, one of them without rows", first + first[:strings.Index(first, "\n")+1] + second, []string{
			"1 rows, 0 bad", copyK,
			"run.csv:3: warning: the export has a header but no rows; expected a row per computing task " +
				"(" + collectHint + ")",
			"1 rows, 0 bad", "5" + scaleK[1:]}},
		{"one of them without a usable row", first + strings.Replace(second, "1.000000", "x", 1), []string{
			"1 rows, 0 bad", copyK,
			`run.csv:4:12: error: none of the 1 rows can be used; the first: bad row: "Total Time" is "x"; expected a time in seconds, 0 or above (correct the cell or export the file again)`}},
		{"only headers", "Computing Task,Total Time\nComputing Task,Total Time", []string{
			"error: run.csv:1: the export has a header but no rows; expected a row per computing task " +
				"(" + collectHint + ")\n" +
				"run.csv:2: the export has a header but no rows; expected a row per computing task " +
				"(" + collectHint + ")"}},
		{"no line end between them", strings.TrimSuffix(first, "\n") + second, []string{
			`error: run.csv:2:28: the header of another export begins within this row, after "3.0" (join the files again with a line end after each, or pass the files separately)`}},
		{"the same with another delimiter", strings.TrimSuffix(first, "\n") + semicolons, []string{
			`error: run.csv:2:28: the header of another export begins within this row, after "3.0" (join the files again with a line end after each, or pass the files separately)`}},
	} {
		header := strings.Index(c.text, "\n") + 1
		for _, block := range []int{0, header, header + 1, header + 7, header + 50} {
			for threads := 1; threads <= 3; threads++ {
				s := scan.New(scan.Input{R: strings.NewReader(c.text)}, scan.Options{Threads: threads, Block: block, Hash: true})
				f, err := read(context.Background(), "run.csv", s, ingest.ReadOptions{})
				if d := cmp.Diff(c.want, exportsOf(f, err)); d != "" {
					t.Fatalf("%s, blocks of %d, %d threads: -want +got:\n%s", c.reason, block, threads, d)
				}
			}
		}
	}
}

// TestManyExports reads exports with many blocks each. The digest must be the
// same as for the same bytes in one export.
func TestManyExports(t *testing.T) {
	var b strings.Builder
	for i := range 5 {
		b.WriteString("Computing Task,Work Size:Global,Total Time,Instance Count\n")
		for n := range 3000 {
			fmt.Fprintf(&b, "K%d,64,0.%06d,2\n", i, n)
		}
	}
	for threads := 1; threads <= 4; threads++ {
		s := scan.New(scan.Input{R: strings.NewReader(b.String())}, scan.Options{Threads: threads, Block: 4096, Hash: true})
		f, err := read(context.Background(), "run.csv", s, ingest.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range append([]*ingest.File{f}, f.Further...) {
			k := p.Kernels[0]
			if want := fmt.Sprint("K", i); len(p.Kernels) != 1 || p.Rows != 3000 || k.Task != want || k.Pos.Line != 3001*i+2 {
				t.Errorf("%d threads: %d rows, %+v", threads, p.Rows, k)
			}
		}
		plain := scan.New(scan.Input{R: strings.NewReader(b.String())}, scan.Options{Block: 4096, Hash: true})
		if _, err := plain.Rows(context.Background(), nil, 0, []scan.Handler{nothing{}}, scan.Break{}); err != nil {
			t.Fatal(err)
		}
		if len(f.Further) != 4 || f.Digest != plain.Digest() {
			t.Errorf("%d threads: %d exports, digest %s, want %s", threads, 1+len(f.Further), f.Digest, plain.Digest())
		}
	}
}

type nothing struct{}

func (nothing) Row(*scan.Row) {}
