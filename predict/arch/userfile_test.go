package arch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

const bom = "\ufeff"

// header and row are the smallest valid device file.
const (
	header = "key,name,xe_cores,xve_per_xe_core,threads_by_registers,simd_widths,slm_kb_per_xe_core,slm_kb_per_work_group_max,slm_steps_kb,work_group_max_items"
	row    = "lab,Laboratory GPU,4,8,128:8 256:4,16 32,128,64,0 16 64,1024"
)

// TestDocumentedExample checks that the device file in docs/devices.md can be
// read.
func TestDocumentedExample(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "devices.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), "```csv\n")
	example, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/devices.md has no csv example")
	}
	table := builtin(t)
	notes, err := table.addReader("my.csv", strings.NewReader(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) != 1 || notes[0].String() != "my.csv:4:1: the entry replaces device max1100 (Intel(R) Data Center GPU Max 1100)" {
		t.Errorf("notes %v; want one that max1100 is replaced", notes)
	}
	m, err := table.Find(Query{Name: "lab"})
	if err != nil || m.Device.Key != "lab-gpu" || m.Device.Slots() != 1536 {
		t.Fatalf("lab is %v, %v; want lab-gpu with 24 x 8 x 8 = 1536 slots", m.Device, err)
	}
	if m, err = table.Find(Query{Name: "0x0bda"}); err != nil || m.Device.Confidence != confidenceUser || m.Device.BarrierSlots[0].Count != 32 {
		t.Errorf("the PCI id of the Max 1100 returns %v, %v; want the entry of the file", m.Device, err)
	}
}

// TestColumnsAreDocumented checks that docs/devices.md contains all columns.
func TestColumnsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "devices.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range format[deviceRow]().Columns {
		if !strings.Contains(string(doc), "`"+c+"`") {
			t.Errorf("docs/devices.md does not name the column %s", c)
		}
	}
}

func TestDefaultsOfADeviceFile(t *testing.T) {
	table := builtin(t)
	if _, err := table.addReader("lab.csv", strings.NewReader(header+"\n"+row+"\n")); err != nil {
		t.Fatal(err)
	}
	want := Device{
		Key: "lab", Name: "Laboratory GPU", Tiles: 1, XeCores: 4, XVEPerXeCore: 8,
		GRFModes: []GRFMode{{128, 8}, {256, 4}}, ThreadsPerXVE: 8,
		RegisterBytes: 64, // width of a register for the smallest sub-group, 16 lanes with 4 bytes
		SIMDWidths:    []int{16, 32},
		SLMPerXeCore:  128 << 10, SLMPerGroupMax: 64 << 10, SLMSteps: []unit.Bytes{0, 16 << 10, 64 << 10},
		MaxGroupSize: 1024,
		GroupSlots:   64, // one work-group for each of the 8 x 8 thread slots
		BarrierSlots: []SourcedCount{{"neo", 32}},
		PCIIDs:       []string{}, Confidence: "user", Source: "device file lab.csv",
	}
	if diff := cmp.Diff(want, device(t, table, "lab")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFormsOfADeviceFile checks that the same device can be written in other
// notations.
func TestFormsOfADeviceFile(t *testing.T) {
	for _, c := range []struct{ reason, data string }{
		{"CRLF and a byte order mark", bom + strings.ReplaceAll(header+"\n"+row+"\n", "\n", "\r\n")},
		{"comments, blank lines, no final newline", "# mine\n\n" + header + "\n\n# the card\n" + row},
		{"blanks around cells and headers, semicolons in lists", strings.ReplaceAll(header, ",", " , ") + "\n lab , Laboratory GPU , 4 , 8 ,128:8;256:4,16; 32,128,64,0;16;64, 1024 \n"},
		{"repeated values that agree", header + ",xves,threads_per_xve,thread_slots\n" + row + ",32,8,256\n"},
	} {
		table := builtin(t)
		if _, err := table.addReader("lab.csv", strings.NewReader(c.data)); err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if d := device(t, table, "lab"); d.Slots() != 256 || len(d.SLMSteps) != 3 || d.MaxGroupSize != 1024 {
			t.Errorf("%s: %+v", c.reason, d)
		}
	}
}

func TestThreadsOfASingleMode(t *testing.T) {
	table := builtin(t)
	data := strings.Replace(header, "threads_by_registers", "threads_per_xve", 1) + "\n" + strings.Replace(row, "128:8 256:4", "7", 1)
	if _, err := table.addReader("lab.csv", strings.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]GRFMode{{128, 7}}, device(t, table, "lab").GRFModes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestErrorsOfADeviceFile checks the message and the position of every error.
// Each case replaces cells in the smallest device file.
func TestErrorsOfADeviceFile(t *testing.T) {
	cell := func(old, new string) string { return header + "\n" + strings.Replace(row, old, new, 1) + "\n" }
	extra := func(columns, cells string) string { return header + "," + columns + "\n" + row + "," + cells + "\n" }
	known := format[deviceRow]()
	for _, c := range []struct{ reason, data, want string }{
		{"an empty file", "", "f.csv: the device file has no rows; expected a header and a row for each device (see docs/devices.md for an example)"},
		{"only a header", header, "f.csv: the device file has no rows; expected a header and a row for each device (see docs/devices.md for an example)"},
		{"a missing column would read as empty", strings.Replace(header, "xe_cores,", "", 1) + "\n" + row, "f.csv:1: " +
			"the header has no xe_cores (expected the columns " + strings.Join(known.Columns, ",") + ", of which " +
			"only " + strings.Join(known.Required, ", ") + " are required)"},
		{"a misspelled column would be dropped", extra("tile", "2"), "f.csv:1:147: the column \"tile\" is not known; did you mean tiles? (the columns are " + strings.Join(known.Columns, ", ") + ")"},
		{"the first of two equal columns would be dropped", extra("name", "x"), `f.csv:1: the column "name" occurs twice (keep one of them)`},
		{"a spreadsheet's semicolons", "key;name\nlab;x\n", `f.csv:1: the header has no comma but other separators: "key;name" (write the file with commas between the columns)`},
		{"a row too short", header + "\nlab,x\n", "f.csv:2: the row has 2 cells, but the header has 10"},
		{"an open quote", header + "\nlab,\"x\n", "f.csv:2: a quote is opened and not closed"},
		{"empty is not zero", cell(",4,", ",,"), "f.csv:2:20: column xe_cores: the cell is empty (every row needs it; there is no default)"},
		{"threads are needed in one way or the other", cell("128:8 256:4", ""), "f.csv:2:24: column threads_by_registers: the cell is empty, and so is threads_per_xve (give threads_by_registers as in 128:8 256:4, or threads_per_xve for a GPU with one mode)"},
		{"gocsv would read 1.024", cell("1024", `"1,024"`), `f.csv:2:57: column work_group_max_items: "1,024" is not a whole number; expected digits only, without sign, unit or thousands separator`},
		{"gocsv would read 8", cell(",8,", ",010,"), `f.csv:2:22: column xve_per_xe_core: "010" has a leading zero; expected a plain decimal number`},
		{"gocsv would read 1", cell(",8,", ",1.7,"), `f.csv:2:22: column xve_per_xe_core: "1.7" is not a whole number; expected digits only, without sign, unit or thousands separator`},
		{"a negative number", cell(",8,", ",-8,"), `f.csv:2:22: column xve_per_xe_core: "-8" is not a whole number; expected digits only, without sign, unit or thousands separator`},
		{"a product that overflows", cell(",8,", ",99999999999999999999,"), `f.csv:2:22: column xve_per_xe_core: "99999999999999999999" is too large; expected at most 1048576`},
		{"zero", cell(",4,", ",0,"), "f.csv:2:20: column xe_cores: 0 is not a positive number (write \"not public\" for a family whose number of XVEs the user gives)"},
		{"line numbers count the file's lines", "\n# comment\n" + header + "\n\n" + row + "\n" + strings.Replace(row, "lab,", "lab2,", 1) + "x\n", `f.csv:6:58: column work_group_max_items: "1024x" is not a whole number; expected digits only, without sign, unit or thousands separator`},
		{"lines count line breaks in quotes", header + "\n" + strings.Replace(row, "Laboratory GPU", "\"Laboratory\nGPU\"", 1) + "\nlab2,,4,8,128:8,16,128,64,0 64,1024\n", "f.csv:4:6: column name: the cell is empty (every row needs it; there is no default)"},
		{"XVEs that disagree", extra("xves", "33"), "f.csv:2:62: column xves: 33 does not match 32, which is " +
			"xe_cores x xve_per_xe_core (correct one of the values, or leave this cell empty)"},
		{"slots that disagree", extra("thread_slots", "128"), "f.csv:2:62: column thread_slots: 128 does not match " +
			"256, which is xe_cores x xve_per_xe_core x threads_per_xve (correct one of the values, or leave " +
			"this cell empty)"},
		{"threads that disagree", extra("threads_per_xve", "4"), "f.csv:2:62: column threads_per_xve: 4 does not " +
			"match 8, which is the most threads of threads_by_registers (correct one of the values, or leave " +
			"this cell empty)"},
		{"a pair without a colon", cell("256:4", "256"), `f.csv:2:24: column threads_by_registers: "256" is not a pair; expected registers:threads as in 128:8 256:4`},
		{"modes in descending order", cell("128:8 256:4", "256:4 128:8"), "f.csv:2:24: column threads_by_registers: 128 registers follow 256 (list the modes by rising register count)"},
		{"more registers, more threads", cell("256:4", "256:9"), "f.csv:2:24: column threads_by_registers: 256 registers leave 9 threads, more than the 8 threads of 128 registers (more registers per thread leave fewer threads)"},
		{"no default mode", cell("128:8 256:4", "64:16"), "f.csv:2:24: column threads_by_registers: no mode has 128 registers or more (add the mode that kernels are compiled for by default)"},
		{"a width that no GPU has", cell("16 32", "16 24"), "f.csv:2:36: column simd_widths: 24 is not a sub-group size that Intel GPUs have; expected 8, 16 or 32"},
		{"widths in descending order", cell("16 32", "32 16"), "f.csv:2:36: column simd_widths: 16 follows 32 (list the widths from the smallest, each once)"},
		{"a work-group with more SLM than there is", cell(",128,64,", ",32,64,"), "f.csv:2:45: column slm_kb_per_work_group_max: 64 KB per work-group are more than the 32 KB of an Xe-core (a work-group runs on one Xe-core)"},
		{"steps without 0", cell("0 16 64", "16 64"), "f.csv:2:49: column slm_steps_kb: the first step is 16 KB (begin the list with 0, for a work-group without SLM)"},
		{"steps in descending order", cell("0 16 64", "0 64 16"), "f.csv:2:49: column slm_steps_kb: 16 KB follow 64 KB (list the steps from the smallest, each once)"},
		{"steps that end early", cell("0 16 64", "0 16 32"), "f.csv:2:49: column slm_steps_kb: the largest step is " +
			"32 KB, but slm_kb_per_work_group_max is 64 KB (the largest step is what one work-group may have at most)"},
		{"a work-group that does not fit on an Xe-core", cell("1024", "4096"), "f.csv:2:57: column work_group_max_items: 4096 work-items do not fit the 64 thread slots of an Xe-core at SIMD32 (at most 2048) (a work-group runs on one Xe-core)"},
		{"tiles that do not divide", extra("tiles", "3"), "f.csv:2:62: column tiles: 4 Xe-cores do not divide over 3 tiles (xe_cores counts the Xe-cores of all tiles)"},
		{"a key with a blank", cell("lab,", "my lab,"), `f.csv:2:1: column key: "my lab" is not a key (a key is lower-case letters, digits, -, _ and ., as in my-gpu)`},
		{"a name without a letter", cell("Laboratory GPU", "(R)"), `f.csv:2:5: column name: "(R)" is not a name that can be looked up (choose a name that distinguishes the GPU from others)`},
		{"two rows of one key", header + "\n" + row + "\n" + strings.Replace(row, "lab", "l-a-b", 1) + "\n", `f.csv:3:1: column key: "l-a-b" is already in line 2 (a key names one device)`},
		{"barrier slots of 0", extra("barrier_slots_per_xe_core", "0"), "f.csv:2:62: column barrier_slots_per_xe_core: user:0 is not a positive number"},
		{"a source twice", extra("barrier_slots_per_xe_core", "neo:16 neo:32"), `f.csv:2:62: column barrier_slots_per_xe_core: source "neo" is listed twice (list one value per source, the default first)`},
		{"a PCI id of three digits", extra("pci_ids", "BDA"), `f.csv:2:62: column pci_ids: "BDA" is not a PCI device id (write the four hexadecimal digits of the device id, as in 0BDA)`},
		{"too many PCI ids", extra("pci_ids", strings.Repeat("0bda ", 257)),
			"f.csv:2:62: column pci_ids: the list has 257 PCI ids, more than any device has"},
		{"a PCI id twice", extra("pci_ids", "0bda 0x0BDA"), "f.csv:2:62: column pci_ids: PCI id 0BDA is listed twice"},
		{"a limit without a number", extra("work_group_extra_limits", "large_grf"), `f.csv:2:62: column work_group_extra_limits: "large_grf" is not a limit; expected name=number as in large_grf_simd16=512`},
		{"a limit of 0", extra("work_group_extra_limits", "other=0"), `f.csv:2:62: column work_group_extra_limits: "other=0" is not a limit; expected name=number as in large_grf_simd16=512`},
		{"a limit for unknown kernels", extra("work_group_extra_limits", "other=32 colour_blue=1"), `f.csv:2:62: column work_group_extra_limits: "colour_blue=1" does not name kernels; expected simd16, grf128, large_grf or other, joined by _ or _or_, before the =`},
		{"binary data", "\x00\x01\xff\"", "f.csv:1: the header cannot be read: the cell \x00\x01\xff\" has a quote " +
			"inside: quote the whole cell and double the quotes in it (expected the " +
			"columns " + strings.Join(known.Columns, ",") + ", of which " +
			"only " + strings.Join(known.Required, ", ") + " are required)"},
	} {
		table := builtin(t)
		_, err := table.addReader("f.csv", strings.NewReader(c.data))
		if err == nil {
			t.Errorf("%s: no error, want %s", c.reason, c.want)
			continue
		}
		if err.Error() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, err, c.want)
		}
		var f *note.InputError
		if !errors.As(err, &f) || f.Code != "device-file" {
			t.Errorf("%s: %T is not an error with the code device-file", c.reason, err)
		}
		if n, want := len(table.Devices()), len(builtin(t).Devices()); n != want {
			t.Errorf("%s: the table has %d devices after the error, want %d", c.reason, n, want)
		}
	}
}

func TestAddFile(t *testing.T) {
	table := builtin(t)
	path := filepath.Join(t.TempDir(), "lab.csv")
	_, missing := os.Stat(path)
	want := path + ": the device file cannot be opened: " + errors.Unwrap(missing).Error() + " (give the path of a CSV file of devices)"
	if _, err := table.AddFile(path); err == nil || err.Error() != want {
		t.Errorf("a missing file returns %v, want %s", err, want)
	}
	if err := os.WriteFile(path, []byte(header+"\n"+row+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if notes, err := table.AddFile(path); err != nil || len(notes) > 0 {
		t.Fatalf("%v, %v", notes, err)
	}
	if m, err := table.Find(Query{Name: "LABORATORY"}); err != nil || m.Device.Key != "lab" {
		t.Errorf("the name without GPU returns %v, %v; want lab", m.Device, err)
	}
	if _, err := table.addReader("big.csv", strings.NewReader(strings.Repeat("#\n", 4<<20))); err == nil ||
		err.Error() != "big.csv: the device file is larger than 4 MB (is it the right file?)" {
		t.Errorf("a file of 8 MB returns %v", err)
	}
}

// TestUserEntriesHavePriority checks when an entry of a device file has
// priority over built-in entries.
func TestUserEntriesHavePriority(t *testing.T) {
	const columns = header + ",aliases,pci_ids\n"
	for _, c := range []struct {
		reason, row string
		query       Query
		want        string
	}{
		{"its name is the name of five GPUs", row + ",Arc Graphics,", Query{Name: "Intel(R) Arc(TM) Graphics", XVEs: 0}, "lab"},
		{"its alias is the name of a family", row + ",gen9,", Query{Name: "gen9", XVEs: 0}, "lab"},
		{"its PCI id is built in", row + ",,3E96", Query{Name: "Intel(R) UHD Graphics P630 [0x3e96]", XVEs: 0}, "lab"},
		{"a built-in key comes first", row + ",max1100,", Query{Name: "max1100", XVEs: 0}, "max1100"},
		{"a replaced bin leaves the family's others", strings.Replace(row, "lab", "mtl-112", 1) + ",,", Query{Name: "mtl", XVEs: 128}, "mtl-128"},
		{"a replaced bin is found in its family", strings.Replace(strings.Replace(row, "lab", "mtl-112", 1), ",4,8,", ",14,8,", 1) + ",,", Query{Name: "mtl", XVEs: 112}, "mtl-112"},
		{"a bin is derived from it, too", row + ",,", Query{Name: "lab", XVEs: 24}, "lab-24"},
	} {
		table := builtin(t)
		if _, err := table.addReader("lab.csv", strings.NewReader(columns+c.row+"\n")); err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if m, err := table.Find(c.query); err != nil || m.Device.Key != c.want {
			t.Errorf("%s: %v, %v; want %s", c.reason, m.Device, err, c.want)
		}
	}
}

func FuzzDeviceFile(f *testing.F) {
	f.Add([]byte(header + "\n" + row + "\n"))
	f.Add([]byte(bom + header + ",tiles,xves\r\n" + row + ",2,32\r\n"))
	f.Add([]byte(header + "\n\"lab\",\"a\n\"\"b\"\"\",4,8,128:8,8 16,1,1,0 1,8\n# end"))
	f.Add([]byte(devicesCSV[:4096]))
	base := builtin(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		table := *base // a copy is sufficient, because addReader creates a new slice and new maps
		_, err := table.addReader("f.csv", strings.NewReader(string(data)))
		if err != nil {
			var fault *note.InputError
			if !errors.As(err, &fault) || fault.Pos.File != "f.csv" {
				t.Fatalf("%T without a place: %v", err, err)
			}
			return
		}
		for _, d := range table.Devices() {
			if p := d.check(); p != nil {
				t.Fatalf("%s was accepted: column %s: %s", d.Key, p.column, p.text)
			}
			if m, err := table.Find(Query{Name: d.Key}); err != nil || m.Device.Slots() < 1 {
				t.Fatalf("key %q returns %v, %v", d.Key, m.Device, err)
			}
		}
	})
}
