package arch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// noteCodes returns the codes in a match's notes.
func noteCodes(m Match) string {
	var codes []string
	for _, n := range m.Notes {
		codes = append(codes, n.Code)
	}
	return strings.Join(codes, " ")
}

func TestFind(t *testing.T) {
	const sameShape, binned, fullPart, idUnknown = "device-same-shape", "device-binned", "device-full-part", "device-id-unknown"
	for _, c := range []struct {
		name   string
		xves   int
		want   string
		notes  string
		reason string
	}{
		// Aliases.
		{"gen9", 0, "uhd-p630", "", "alias of the notebook's GPU"},
		{"gen11", 0, "icl-g7", "", "alias: Ice Lake with 64 EU"},
		{"gen12", 0, "tgl-96", "", "alias: Tiger Lake with 96 EU"},
		{"tgl", 0, "tgl-96", "", "alias: Tiger Lake with 96 EU"},
		{"dg1", 0, "dg1-96", "", "alias: DG1 with 96 EU"},
		{"iris_xe_max", 0, "dg1-96", "", "DevCloud node property"},
		{"mtl", 64, "mtl-64", "", "the count decides"},
		{"mtl", 112, "mtl-112", "", "the count decides"},
		{"mtl", 128, "mtl-128", "", "the count decides"},
		{"mtl", 96, "mtl-128-96", binned, "6 of 8 Xe-cores"},
		{"tgl", 80, "tgl-80", "", "an alias with a default takes another bin by its count"},
		{"gen12", 24, "uhd730", sameShape, "2 x 12 EU: UHD 730 and Alder Lake-N"},
		{"gen9", 48, "skl-gt3", sameShape, "GT3 of three generations has one shape"},
		{"gen9", 24, "uhd-p630", sameShape, "the usual device of the alias comes before others of its shape"},
		{"Tiger Lake", 0, "tgl-96", "", "spelled out"},
		{"Meteor-Lake", 112, "mtl-112", "", "hyphens do not matter"},
		{"pvc", 448, "max1100", "", "only the Max 1100 has 448 XVE"},
		{"Arc 130T", 0, "arl-h-112", binned, "the 130T is the 7-Xe-core bin of the entry"},
		{"Arc 140T", 0, "arl-h", "", "alias of the full part"},
		// Keys, names, and short forms.
		{"uhd-p630", 0, "uhd-p630", "", "key"},
		{"UHD_P630", 0, "uhd-p630", "", "case and underscores do not matter"},
		{"max1100", 0, "max1100", "", "key"},
		{"Max 1100", 0, "max1100", "", "alias"},
		{"Intel(R) Data Center GPU Max 1100", 0, "max1100", "", "the driver's name"},
		{"intel data center gpu max 1100", 0, "max1100", "", "without signs and case"},
		{"Intel® Data Center GPU Max 1100C", 0, "max1100", "", "the driver's name of another PCI id"},
		{"intel_gpu_wcl", 0, "wcl", "", "SYCL's name of a target"},
		{"intel_gpu_mtl_u", 0, "mtl-64", sameShape, "a name of the compiler for two parts of one shape"},
		{"intel_gpu_dg2_g12", 256, "a570m", sameShape, "SYCL's older name, with a count"},
		{"Max Series", 448, "max1100", "", "a series, with a count"},
		{"A770", 0, "a770", "", "a key, though it is four hexadecimal digits"},
		{"Arc A770", 0, "a770", "", "short form"},
		{"Intel(R) Arc(TM) A770 Graphics", 0, "a770", "", "the driver's name"},
		{"Intel Arc™ A770", 0, "a770", "", "without Graphics"},
		{"140V", 0, "lnl-64", "", "without the brand"},
		{"UHD Graphics 620", 0, "kbl-gt2", sameShape, "Kaby Lake and Whiskey Lake, equal shapes"},
		{"UHD 770", 0, "uhd770", "", "without Graphics"},
		{"Flex 140", 0, "flex140", "", "alias"},
		{"Intel(R) Iris(R) Xe MAX Graphics", 0, "dg1-96", "", "the driver's name"},
		{"Mesa Intel(R) UHD Graphics 630 (CFL GT2)", 0, "cfl-gt2", "", "Mesa's form"},
		{"max1550", 0, "max1550", "", "a key is never ambiguous"},
		// PCI IDs.
		{"Intel(R) UHD Graphics P630 [0x3e96]", 0, "uhd-p630", sameShape, "driver of 2020 to 2022; shared with cfl-gt2, exact name preferred"},
		{"0x3e96", 0, "uhd-p630", sameShape, "bare id"},
		{"3E96", 0, "uhd-p630", sameShape, "bare id without 0x"},
		{"8086:3e96", 0, "uhd-p630", sameShape, "with the vendor"},
		{"0xbda", 0, "max1100", "", "leading zero left out"},
		{"Intel Corporation Device 0x0bd6", 0, "max1550", fullPart, "one or two stacks: the full part"},
		{"Intel Corporation Device 0x0bd6", 512, "max1550-1t", "", "the count takes one stack"},
		{"Intel(R) Iris(R) Xe Graphics [0x9a49]", 0, "tgl-96", fullPart, "96 and 80 EU share the id"},
		{"0x9a49", 80, "tgl-80", "", "the count decides"},
		{"0x7d55", 0, "mtl-128", fullPart, "8 and 7 Xe-cores share the id"},
		{"Intel(R) Arc(TM) Graphics [0x7d55]", 112, "mtl-112", "", "the id and the count"},
		{"Intel(R) Graphics [0x1234]", 56, "lnl-56", idUnknown, "an unknown ID: the name is used"},
		{"00:02.0 VGA compatible controller [0300]: Intel Corporation Meteor Lake-P [Intel Arc Graphics] [8086:7d55] (rev 08)", 0, "mtl-128", fullPart, "a line of lspci -nn"},
		// Ambiguous names with a count.
		{"Meteor Lake Arc Graphics", 0, "mtl-112", "", "the exact name of one, as the table prints it"},
		{"Alder Lake-P Integrated Graphics Controller", 96, "adlp-96", "", "as lspci has it with the list of PCI ids of 2022"},
		{"Meteor Lake Arc Graphics", 128, "mtl-128", "", "still a family if a count is given"},
		{"Intel(R) Arc(TM) Graphics", 112, "mtl-112", "", "only Meteor Lake has 112"},
		{"Intel(R) Arc(TM) Graphics", 128, "mtl-128", sameShape, "Arrow Lake-H has the same shape"},
		{"Intel(R) Arc(TM) Graphics", 64, "lnl-64", "", "only Lunar Lake has 64 under this name"},
		{"Intel(R) Graphics", 64, "mtl-64", sameShape, "Meteor Lake and Arrow Lake-S"},
		{"Intel(R) UHD Graphics", 48, "tgl-48", sameShape, "Tiger Lake and Alder Lake-P"},
		{"Intel(R) UHD Graphics", 12, "cfl-gt1", "", "only Coffee Lake GT1"},
		{"Intel(R) Iris(R) Plus Graphics", 64, "icl-g7", "", "G7"},
		{"Intel(R) Iris(R) Plus Graphics", 48, "icl-g4", "", "G4"},
		{"Intel(R) Iris(R) Xe Graphics", 96, "tgl-96", sameShape, "Tiger Lake and Alder Lake-P"},
		{"Intel(R) Iris(R) Xe Graphics", 80, "tgl-80", sameShape, "Tiger Lake and DG1"},
		{"Intel(R) Data Center GPU Max 1550", 1024, "max1550", "", "two stacks"},
		{"Intel(R) Data Center GPU Max 1550", 512, "max1550-1t", "", "one stack"},
		{"Intel(R) Data Center GPU Max 1550", 896, "max1550-896", binned, "two stacks of 56 Xe-cores, as on Aurora"},
		{"Intel(R) Data Center GPU Max 1550", 448, "max1550-1t-448", binned, "one such stack"},
		// Binned parts.
		{"arl-h", 112, "arl-h-112", binned, "7 of 8 Xe-cores"},
		{"mtl-128", 112, "mtl-112", "", "the table contains the bin: same PCI IDs"},
		{"a770", 448, "a770-448", binned, "a named card does not turn into another one"},
		// Names in VTune summaries that the corpus does not contain.
		{"Raptor Lake-P [Iris Xe Graphics]", 80, "adlp-80", "", "the driver has no name for this bin: the code name includes it"},
		{"Ponte Vecchio XT (1 Tile) [Data Center GPU Max 1100]", 448, "max1100", "", "code name with a suffix"},
		{"Arrow Lake-P [Intel Arc Graphics]", 112, "arl-h-112", binned, "bin of the only candidate"},
		{"CoffeeLake-S GT2 [UHD Graphics 630]", 24, "cfl-gt2", "", "code name and marketing name agree"},
	} {
		m, err := builtin(t).Find(Query{Name: c.name, XVEs: c.xves})
		switch {
		case err != nil:
			t.Errorf("%q with %d XVE (%s): %v", c.name, c.xves, c.reason, err)
		case m.Device.Key != c.want || noteCodes(m) != c.notes:
			t.Errorf("%q with %d XVE (%s): %s with notes %q, want %s with %q", c.name, c.xves, c.reason, m.Device.Key, noteCodes(m), c.want, c.notes)
		case c.xves > 0 && m.Device.XVEs() != c.xves:
			t.Errorf("%q: the device has %d XVE, want %d", c.name, m.Device.XVEs(), c.xves)
		}
	}
}

// TestFindSummaryNames checks that every name in the summaries of the corpus is
// found, with the printed count.
func TestFindSummaryNames(t *testing.T) {
	for _, c := range []struct {
		file, inFile string // position of the name, and its form in the file
		name         string
		xves         int
		want         string
	}{
		{"bench_gaussian.hotspots.txt", "Meteor Lake-P [Intel Arc Graphics]", "Meteor Lake-P [Intel Arc Graphics]", 112, "mtl-112"},
		{"bench_gaussian.offload.txt", "Meteor Lake-P [Intel Arc Graphics]", "Meteor Lake-P [Intel Arc Graphics]", 112, "mtl-112"},
		{"ze_gemm.hotspots.txt", "Meteor Lake-P [Intel Arc Graphics]", "Meteor Lake-P [Intel Arc Graphics]", 112, "mtl-112"},
		{"ze_gemm.offload.txt", "Meteor Lake-P [Intel Arc Graphics]", "Meteor Lake-P [Intel Arc Graphics]", 112, "mtl-112"},
		{"tigerlake_eu_naming.offload_excerpt.txt", "TigerLake-LP GT2 [Iris Xe Graphics]", "TigerLake-LP GT2 [Iris Xe Graphics]", 96, "tgl-96"},
		{"mm_basic_hotspots_vtune2022.0_gen9_1024.html", "HD Graphics P630", "HD Graphics P630", 24, "uhd-p630"},
		{"mm_basic_hotspots_vtune2022.0_gen9_1024.html", "HD Graphics P630", "HD Graphics P630", 0, "uhd-p630"},
		{"mm_basic_hotspots_vtune2022.0_dg1_1024.html", "0:28:0.0 : DG1 [Iris Xe MAX Graphics]:", "0:28:0.0 : DG1 [Iris Xe MAX Graphics]:", 0, "dg1-96"},
		{"mm_basic_hotspots_vtune2022.0_dg1_1024.html", "DG1 [Iris Xe MAX Graphics]", "DG1 [Iris Xe MAX Graphics]", 96, "dg1-96"},
		{"iso3dfd02_basic_hotspots_vtune2024.0_pvc.html", "0:41:0.0 : Display controller: Intel Corporation Device 0x0bda", "GPU 0: 0:41:0.0 : Display controller: Intel Corporation Device 0x0bda:", 448, "max1100"},
		{"iso3dfd02_basic_offload_vtune2024.0_pvc.html", "Display controller: Intel Corporation Device 0x0bda", "Display controller: Intel Corporation Device 0x0bda", 448, "max1100"},
		{"aurora_6gpu.excerpt.txt", "Display controller: Intel Corporation Device 0x0bd6 Device Group", "Display controller: Intel Corporation Device 0x0bd6 Device Group", 0, "max1550"},
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpus", "vtune-summary", c.file))
		if err == nil && !strings.Contains(string(data), c.inFile) {
			t.Errorf("%s does not contain %q", c.file, c.inFile)
		}
		m, err := builtin(t).Find(Query{Name: c.name, XVEs: c.xves})
		if err != nil || m.Device.Key != c.want {
			t.Errorf("%q with %d XVE: %v, %v; want %s", c.name, c.xves, m.Device, err, c.want)
		}
	}
}

// TestFindEveryName checks every key, name, alias, and PCI ID in the table.
// Each must find its device, a device with the same shape, or an error that
// lists the device among the candidates.
func TestFindEveryName(t *testing.T) {
	table := builtin(t)
	check := func(d *Device, name string) {
		m, err := table.Find(Query{Name: name, Family: true})
		var a *AmbiguousError
		switch {
		case errors.As(err, &a):
			if !slices.ContainsFunc(a.Candidates, func(c *Device) bool { return c.Key == d.Key }) {
				t.Errorf("%q of %s: %v", name, d.Key, err)
			}
			m, err = table.Find(Query{Name: name, XVEs: d.XVEs()})
			if err == nil && !m.Device.sameShape(d) {
				t.Errorf("%q with %d XVE of %s returns %s", name, d.XVEs(), d.Key, m.Device.Key)
			}
		case err != nil:
			t.Errorf("%q of %s: %v", name, d.Key, err)
		case !m.Device.sameShape(d) && noteCodes(m) != "device-full-part" && name != "Arc 130T":
			t.Errorf("%q of %s returns %s", name, d.Key, m.Device.Key)
		}
	}
	for i := range table.devices {
		d := &table.devices[i]
		m, err := table.Find(Query{Name: d.Key, Family: true})
		if err != nil || m.Device.Key != d.Key || len(m.Notes) > 0 && d.Confidence != confidenceLow {
			t.Errorf("key %s: %+v, %v", d.Key, m, err)
		}
		check(d, d.Name)
		for _, a := range d.Aliases {
			check(d, a)
		}
		for _, id := range d.PCIIDs {
			check(d, "["+id+"]")
			check(d, "0x"+strings.ToLower(id))
			check(d, "Intel(R) Graphics [0x"+strings.ToLower(id)+"]")
		}
	}
}

// TestPrintedNames checks each device name that outputs print. It must find
// that device, or the candidates if the driver uses the name for two devices.
func TestPrintedNames(t *testing.T) {
	table := builtin(t)
	for i := range table.devices {
		d := &table.devices[i]
		m, err := table.Find(Query{Name: d.Name, Family: true})
		var a *AmbiguousError
		switch {
		case errors.As(err, &a) && d.Name == "Intel(R) Data Center GPU Max 1550":
		case err != nil || m.Device.Key != d.Key:
			t.Errorf("%q of %s returns %v, %v", d.Name, d.Key, m.Device, err)
		}
		if !table.Knows(d.Name) {
			t.Errorf("%q is not known", d.Name)
		}
	}
	for _, n := range []string{"tgl,a770", "", "nope", strings.Repeat("tgl", 1000)} {
		if table.Knows(n) {
			t.Errorf("%.20q is known", n)
		}
	}
}

// TestAmbiguousNames checks the names that are ambiguous in the reference data.
func TestAmbiguousNames(t *testing.T) {
	_, _, names := readGolden(t)
	if len(names) != 6 {
		t.Errorf("%d ambiguous names in the reference data, want 6", len(names))
	}
	for _, name := range names {
		var a *AmbiguousError
		if m, err := builtin(t).Find(Query{Name: name}); !errors.As(err, &a) || len(a.Candidates) < 2 {
			t.Errorf("%q returns %v, %v; want an AmbiguousError", name, m.Device, err)
		}
	}
}

func TestFindErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		xves   int
		want   string
		reason string
	}{
		{"", 0, "no device is named (give a key, name, alias, or PCI id)", "an empty name"},
		{" ", 96, "no device is named (give a key, name, alias, or PCI id)", "a count alone is not a device"},
		{"mtl", 0, `device "mtl" may be mtl-128 (128 XVE), mtl-112 (112 XVE), mtl-64 (64 XVE) (give the key of one of them, or the number of XVEs: 128, 112, 64)`, "Meteor Lake needs a count"},
		{"Intel(R) Data Center GPU Max 1550", 0, `device "Intel(R) Data Center GPU Max 1550" may be max1550 (1024 XVE), max1550-1t (512 XVE) (give the key of one of them, or the number of XVEs: 1024, 512)`, "one or two stacks"},
		{"Intel(R) Arc(TM) Graphics", 0, `device "Intel(R) Arc(TM) Graphics" may be mtl-128 (128 XVE), mtl-112 (112 XVE), arl-h (128 XVE), lnl-64 (64 XVE), lnl-56 (56 XVE) (give the key of one of them, or the number of XVEs: 128, 112, 64, 56)`, "candidates in the order of the table"},
		{"Intel(R) Graphics", 32, `device "Intel(R) Graphics" with 32 XVE may be lnl-32 (32 XVE), ptl-4 (32 XVE) (give the key of one of them)`, "the count is the same, the threads are not"},
		{"Meteor Lake-P [Intel Arc Graphics]", 0, `device "Meteor Lake-P [Intel Arc Graphics]" may be mtl-128 (128 XVE), mtl-112 (112 XVE) (give the key of one of them, or the number of XVEs: 128, 112)`, "a summary without a count"},
		{"mtl", 100, `device "mtl" does not come with 100 XVE; it has 128, 112, 64; a binned part has a multiple of 16, the XVEs of one Xe-core (check the device and its number of XVEs)`, "not a whole number of Xe-cores"},
		{"uhd-p630", 48, `device "uhd-p630" does not come with 48 XVE; it has 24 (check the device and its number of XVEs)`, "more than the full part"},
		{"nvl-p", 97, `device "nvl-p" does not come with 97 XVE; its Xe-cores have 8 each, so the count is a multiple of 8 up to 16384 (check the device and its number of XVEs)`, "a family whose Xe-core count is not public has no count to offer"},
		{"mtl", -1, `device "mtl" does not come with -1 XVE; it has 128, 112, 64 (check the device and its number of XVEs)`, "a count from a broken file"},
		{"maxx1100", 0, "device \"maxx1100\" is not in the device table; did you mean max1100? (give a key of the device table)", "a typo"},
		{"tigerlak", 0, "device \"tigerlak\" is not in the device table; did you mean tgl-96? (give a key of the device table)", "a typo in the name of a family: its usual part"},
		{"meteorlak", 0, "device \"meteorlak\" is not in the device table; did you mean mtl-64, mtl-128 or mtl-112? (give a key of the device table)", "a typo in a family without a usual part: all parts"},
		{"nope", 0, "device \"nope\" is not in the device table (give a key of the device table)", "no letter matches any name"},
		{"UHD P360", 0, "device \"UHD P360\" is not in the device table; did you mean uhd-p630, uhd730, rkl-32 or cfl-gt2? (give a key of the device table)", "digits swapped; among equally near names the nearest keys are first"},
		{"GeForce RTX 4090", 0, "device \"GeForce RTX 4090\" is not in the device table (give a key of the device table)", "nothing near: no guess"},
		{"h100", 0, "device \"h100\" is not in the device table (give a key of the device table)", "two wrong letters of four are another GPU, not a typo"},
		{"a100", 0, "device \"a100\" is not in the device table (give a key of the device table)", "the same with the first letter of Intel's names"},
		{"Battlemage G21", 0, `device "Battlemage G21" may be b580 (160 XVE), b570 (144 XVE), b60 (160 XVE), b50 (128 XVE) (give the key of one of them, or the number of XVEs: 160, 144, 128)`, "without the parts of the G31"},
		{"intel_gpu_bmg_g31", 0, `device "intel_gpu_bmg_g31" may be b65 (160 XVE), b70 (256 XVE) (give the key of one of them, or the number of XVEs: 256, 160)`, "SYCL's name"},
		{"intel_gpu_dg2_g12", 0, `device "intel_gpu_dg2_g12" may be a570m (256 XVE), a530m (192 XVE), proa60 (256 XVE) (give the key of one of them, or the number of XVEs: 256, 192)`, "SYCL's older name"},
		{"acm-g12", 0, `device "acm-g12" may be a570m (256 XVE), a530m (192 XVE), proa60 (256 XVE) (give the key of one of them, or the number of XVEs: 256, 192)`, "the compiler's name"},
		{"max", 0, `device "max" may be max1550 (1024 XVE), max1550-1t (512 XVE), max1100 (448 XVE), max1350 (896 XVE), max1450 (1024 XVE) (give the key of one of them, or the number of XVEs: 1024, 896, 512, 448)`, "a series"},
		{"0x1234", 96, "device \"0x1234\" is not in the device table (give a key of the device table)", "an unused ID"},
	} {
		m, err := builtin(t).Find(Query{Name: c.name, XVEs: c.xves})
		if err == nil {
			t.Errorf("%q with %d XVE (%s): %s, want an error", c.name, c.xves, c.reason, m.Device.Key)
		} else if err.Error() != c.want {
			t.Errorf("%q with %d XVE (%s):\n got %s\nwant %s", c.name, c.xves, c.reason, err, c.want)
		}
	}
}

func TestFindNotes(t *testing.T) {
	for _, c := range []struct {
		query Query
		want  string
	}{
		{Query{Name: "arl-h", XVEs: 112}, "binned part: 7 of 8 Xe-cores of arl-h"},
		{Query{Name: "0x9a49", XVEs: 0}, "PCI id 9A49 is shared by tgl-96 (96 XVE), tgl-80 (80 XVE); the full part is used (another number of XVEs chooses another)"},
		{Query{Name: "[0x3e96]", XVEs: 0}, "uhd-p630 has the same shape as cfl-gt2 (24 XVE): predictions are equal"},
		{Query{Name: "Intel(R) Arc(TM) Graphics", XVEs: 128}, "warning: mtl-128 has the shape of arl-h (128 XVE) but another SLM per Xe-core (96 KB; arl-h has 128 KB) (give the key of your device)"},
		{Query{Name: "Intel(R) Graphics [0x1234]", XVEs: 56}, "warning: PCI id 1234 is not in the device table; the device is identified by its name"},
	} {
		m, err := builtin(t).Find(c.query)
		if err != nil || len(m.Notes) != 1 || m.Notes[0].String() != c.want {
			t.Errorf("%v: notes %v, %v; want %s", c.query, m.Notes, err, c.want)
		}
	}
}

// TestBinnedPart compares a derived device with values that were computed by
// hand: 7 Xe-cores with 16 XVEs and 8 threads each.
func TestBinnedPart(t *testing.T) {
	m, err := builtin(t).Find(Query{Name: "arl-h", XVEs: 112})
	if err != nil {
		t.Fatal(err)
	}
	d := m.Device
	if d.XeCores != 7 || d.XVEs() != 112 || d.Slots() != 896 || d.Name != "ARL-H Arc 140T/130T, 7 of 8 Xe-cores" {
		t.Errorf("%d Xe-cores, %d XVE, %d slots, %q; want 7, 112, 896, 7 of 8", d.XeCores, d.XVEs(), d.Slots(), d.Name)
	}
	if p := d.check(); p != nil {
		t.Errorf("the part is inconsistent: column %s: %s", p.column, p.text)
	}
	d.Key = "changed"
	if again, err := builtin(t).Find(Query{Name: "arl-h"}); err != nil || again.Device.XeCores != 8 {
		t.Errorf("the full part is %v, %v; want it unchanged", again.Device, err)
	}
}

func BenchmarkFind(b *testing.B) {
	table := builtin(b)
	for _, q := range []Query{{Name: "max1100", XVEs: 0}, {Name: "Meteor Lake-P [Intel Arc Graphics]", XVEs: 112}, {Name: "Intel(R) UHD Graphics P630 [0x3e96]", XVEs: 0}, {Name: "arl-h", XVEs: 112}} {
		b.Run(strings.ReplaceAll(q.Name, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := table.Find(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBuiltin(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Builtin(); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, name := range []string{"mtl", "0x3e96", "Meteor Lake-P [Intel Arc Graphics]", "GPU 0: 0:41:0.0 : Display controller: Intel Corporation Device 0x0bda:",
		"Intel(R) UHD Graphics P630 [0x3e96]", "[", "]", "[]", " (rev ", "Intel", "™", "8086:", "Device", "a [b] [0x3e96]", "x (y)"} {
		f.Add(name, 112)
	}
	table := builtin(f)
	f.Fuzz(func(t *testing.T, name string, xves int) {
		m, err := table.Find(Query{Name: name, XVEs: xves})
		if err != nil {
			if m.Device != nil || !strings.Contains(err.Error(), "device") {
				t.Errorf("%q, %d: %v with the error %v", name, xves, m.Device, err)
			}
			return
		}
		if p := m.Device.check(); p != nil {
			t.Errorf("%q, %d returns an inconsistent device: column %s: %s", name, xves, p.column, p.text)
		}
		if xves != 0 && m.Device.XVEs() != xves {
			t.Errorf("%q, %d returns %d XVE", name, xves, m.Device.XVEs())
		}
	})
}
