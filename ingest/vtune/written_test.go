package vtune

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
)

// TestWrittenNumbers reads numbers with thousands separators, decimal commas,
// and units, as GUIs and spreadsheets in several countries write them. If a
// number has two interpretations, the file's other numbers decide. Otherwise it
// is an error.
func TestWrittenNumbers(t *testing.T) {
	const (
		head = "Computing Task;Work Size:Global;Work Size:Local;Computing Task:Total Time;Computing Task:Instance Count;" +
			"Computing Task:SIMD Width;Computing Threads Started;Computing Task:Spill Memory Size;XVE Threads Occupancy(%)\n"
		k       = "2|K|4096x64|16x16|16||n 2000|t 1.25|measured 93.4|threads 104857600|barriers -|spill 64"
		settled = ": the mark before three digits may separate decimals or thousands, and the other numbers of the file " +
			"do not show which (export the file again with decimal points and without thousands separators, as with LC_ALL=C)"
	)
	for _, c := range []struct {
		reason, delim, row string
		want               []string
	}{
		{"United States", ",", `K;"4,096 x 64";16 x 16;1.25;"2,000";16;"104,857,600";64;93.4`, []string{"1 rows, 0 bad", k}},
		{"both marks show each other's use", ",", `K;"4,096 x 64";16 x 16;"1,000.250000";"2,047";16;"104,857,600";64;93.4`,
			[]string{"1 rows, 0 bad", strings.NewReplacer("1.25", "1000.25", "2000", "2047").Replace(k)}},
		{"France, with a no-break space", ";", "K;4\u00a0096 x 64;16 x 16;1,25;2\u00a0000;16;104\u00a0857\u00a0600;64;93,4",
			[]string{"1 rows, 0 bad", k}},
		{"France, with a narrow one", ";", "K;4\u202f096 x 64;16 x 16;1,25;2\u202f000;16;104\u202f857\u202f600;64;93,4\u202f%",
			[]string{"1 rows, 0 bad", k}},
		{"France, in Windows-1252", ";", "K;4\xa0096 x 64;16 x 16;1,25;2\xa0000;16;104\xa0857\xa0600;64;93,4", []string{"1 rows, 0 bad", k}},
		{"Germany: 2.000 launches, since decimals have a comma", ";", "K;4.096 x 64;16 x 16;1,25;2.000;16;104.857.600;64;93,4",
			[]string{"1 rows, 0 bad", k}},
		{"Switzerland", ";", "K;4'096 x 64;16 x 16;1.25;2\u2019000;16;104'857'600;64;93.4", []string{"1 rows, 0 bad", k}},
		{"units", "\t", "K;4096 x 64;16 x 16;1.25s;2000;16;104857600;64 B;93.4%", []string{"1 rows, 0 bad", k}},
		{"other units, with spaces", "\t", "K;4096 x 64;16 x 16;1250 ms;2000;16;104857600;0.064 KB;93.4 %", []string{"1 rows, 0 bad", k}},
		{"a column of whole numbers that was saved as decimals", ",", "K;4096.0;256.0;1.25;2.000;16.0;104857600.0;64.0;93.4",
			[]string{"1 rows, 0 bad", "2|K|4096|256|16||n 2|t 1.25|measured 93.4|threads 104857600|barriers -|spill 64"}},
		{"2.000 launches or 2, next to a decimal point", ";", "K;64;8;1.25;2.000;16;64;64;93.4",
			[]string{`error: run.csv:2:13: "Computing Task:Instance Count" is "2.000"` + settled}},
		{"2,000 launches or 2, next to decimal commas", ";", "K;64;8;1,25;2,000;16;64;64;93,4",
			[]string{`error: run.csv:2:13: "Computing Task:Instance Count" is "2,000"` + settled}},
		{"a time with both marks, as in Germany", ";", "K;64;8;1.000,25;2.000;16;64;64;93,4",
			[]string{"1 rows, 0 bad", "2|K|64|8|16||n 2000|t 1000.25|measured 93.4|threads 64|barriers -|spill 64"}},
		{"2,047 launches have one interpretation with either decimal mark", ";", "K;64;8;1,25;2,047;16;64;64;93,4",
			[]string{"1 rows, 0 bad", "2|K|64|8|16||n 2047|t 1.25|measured 93.4|threads 64|barriers -|spill 64"}},
		{"a time of 1,234 next to decimal commas", ";", "K;64;8;1,234;2;16;64;64;93,4",
			[]string{"1 rows, 0 bad", "2|K|64|8|16||n 2|t 1.234|measured 93.4|threads 64|barriers -|spill 64"}},
		{"the same in quotes between commas", ",", `K;64;8;"1,234";2;16;64;64;"93,4"`,
			[]string{"1 rows, 0 bad", "2|K|64|8|16||n 2|t 1.234|measured 93.4|threads 64|barriers -|spill 64"}},
		{"a time of 1,234 next to decimal points", ",", `K;64;8;"1,234";2;16;64;64;93.4`,
			[]string{`error: run.csv:2:8: "Computing Task:Total Time" is "1,234"` + settled}},
		{"a time of 1,234 alone", ";", "K;64;8;1,234;2;16;64;64;93",
			[]string{`error: run.csv:2:8: "Computing Task:Total Time" is "1,234"` + settled}},
		{"a time of 1.234 next to decimal commas", ";", "K;64;8;1.234;2;16;64;64;93,4",
			[]string{`error: run.csv:2:8: "Computing Task:Total Time" is "1.234"` + settled}},
		{"a time of 1.234 next to decimal commas and a whole number", ";",
			"K;64;8;1.234;2;16;64;64;93,4\nL;64;8;2;2;16;64;64;93,4",
			[]string{`error: run.csv:2:8: "Computing Task:Total Time" is "1.234"` + settled}},
		{"a time of 1.234 next to both decimal marks", ";", "K;64;8;1.234;2;16;64;64;93,4\nL;64;8;1.5;2;16;64;64;93,4", []string{
			"2 rows, 0 bad", "2|K|64|8|16||n 2|t 1.234|measured 93.4|threads 64|barriers -|spill 64",
			"3|L|64|8|16||n 2|t 1.5|measured 93.4|threads 64|barriers -|spill 64"}},
		{"2.000 launches or 2, next to quoted decimal commas", ",", `K;64;8;"1,25";2.000;16;64;64;"93,4"`,
			[]string{`error: run.csv:2:15: "Computing Task:Instance Count" is "2.000"` + settled}},
		{"a percentage has no thousands", ";", "K;64;8;1;2;16;64;64;93,412",
			[]string{"1 rows, 0 bad", "2|K|64|8|16||n 2|t 1|measured 93.412|threads 64|barriers -|spill 64"}},
		{"a comma never separates dimensions", ",", `K;"57,344";256;1.25;1;16;64;64;93.4`,
			[]string{"1 rows, 0 bad", "2|K|57344|256|16||n 1|t 1.25|measured 93.4|threads 64|barriers -|spill 64"}},
		{"groups of other than three digits are not a size", ",", `K;"1,024,1";256;1.25;1;16;64;64;93.4`, []string{
			`error: run.csv:2:3: none of the 1 rows can be used; the first: bad row: "Work Size:Global" is "1,024,1"; expected ` +
				`one to three numbers as in 512 x 512 (correct the cell or export the file again)`}},
		{"a group that begins with 0 is not a size", ",", `K;"0,512";256;1.25;1;16;64;64;93.4`, []string{
			`error: run.csv:2:3: none of the 1 rows can be used; the first: bad row: "Work Size:Global" is "0,512"; expected ` +
				`one to three numbers as in 512 x 512 (correct the cell or export the file again)`}},
		{"a bad counter that no verdict needs skips only its cell", ",", "K;64;8;1.25;1;16;many;-1;93.4\nL;64;8;1.25;1;16;?;64;93.4", []string{
			"2 rows, 0 bad",
			"2|K|64|8|16||n 1|t 1.25|measured 93.4|threads -|barriers -|spill -",
			"3|L|64|8|16||n 1|t 1.25|measured 93.4|threads -|barriers -|spill 64",
			`run.csv:2:23: warning: "Computing Task:Spill Memory Size" is "-1"; expected 0 or above; the row is used ` +
				`without this cell, and 2 more cells are left out (correct the cell or export the file again)`}},
		{"one bad counter", ",", "K;64;8;1.25;1;16;many;64;93.4", []string{
			"1 rows, 0 bad",
			"2|K|64|8|16||n 1|t 1.25|measured 93.4|threads -|barriers -|spill 64",
			`run.csv:2:18: warning: "Computing Threads Started" is "many"; expected a whole number, 0 or above; the row is ` +
				`used without this cell (correct the cell or export the file again)`}},
		{"two bad counters", ",", "K;64;8;1.25;1;16;many;?;93.4", []string{
			"1 rows, 0 bad",
			"2|K|64|8|16||n 1|t 1.25|measured 93.4|threads -|barriers -|spill -",
			`run.csv:2:23: warning: "Computing Task:Spill Memory Size" is "?"; expected a whole number, 0 or above; the row is ` +
				`used without this cell, and 1 more cell is left out (correct the cell or export the file again)`}},
		{"a file without a kernel is not a run, even if a copy remains", ",",
			"K;64;8;x;1;16;64;64;93.4\nzeCommandListAppendMemoryCopy;;;0.1;1;;;;0.4", []string{
				`error: run.csv:2:8: no kernel is left: 1 of 2 rows cannot be used; the first: bad row: "Computing Task:Total ` +
					`Time" is "x"; expected a time in seconds, 0 or above (correct the cell or export the file again)`}},
	} {
		text := strings.ReplaceAll(head+c.row+"\n", ";", c.delim)
		if d := cmp.Diff(c.want, linesOf(t, text, ingest.ReadOptions{})); d != "" {
			t.Errorf("%s: -want +got:\n%s", c.reason, d)
		}
	}
}

// TestUnits reads sizes and times with a unit. VTune's KB is 1000 bytes.
func TestUnits(t *testing.T) {
	const head = "Computing Task,Work Size:Global,Total Time,Spill Memory Size\n"
	for _, c := range []struct{ time, spill, want string }{
		{"1.5 s", "64", "t 1.5|threads -|barriers -|spill 64"},
		{"15 ms", "6.5 KB", "t 0.015|threads -|barriers -|spill 6500"},
		{"15us", "6.5MB", "t 1.5e-05|threads -|barriers -|spill 6500000"},
		{"15 \u00b5s", "6.5 GB", "t 1.5e-05|threads -|barriers -|spill 6500000000"},
		{"15 \u03bcs", "6.5 TB", "t 1.5e-05|threads -|barriers -|spill 6500000000000"},
		{"15 ns", "6 B", "t 1.5e-08|threads -|barriers -|spill 6"},
	} {
		got := linesOf(t, head+"K,64,"+c.time+","+c.spill+"\n", ingest.ReadOptions{})
		if want := "2|K|64||-||n -|" + c.want; len(got) != 2 || got[1] != want {
			t.Errorf("%s, %s: %q, want %s", c.time, c.spill, got, want)
		}
	}
}

// TestPercentSigns reads a percentage in a column whose name has no (%): 0.7%
// is not the fraction 0.7.
func TestPercentSigns(t *testing.T) {
	text := "Computing Task,Global,Total Time,Idle,EU Threads Occupancy\nK,64,1,0.3%,0.7%\n"
	want := []string{"1 rows, 0 bad", "2|K|64||-||n -|t 1|measured 0.7|idle 0.3|threads -|barriers -|spill -"}
	if d := cmp.Diff(want, linesOf(t, text, ingest.ReadOptions{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
