package predict

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

func icl() *arch.Device {
	d := gen9()
	d.Key, d.Name, d.Architecture, d.XeCores = "icl-g7", "Iris Plus (Ice Lake)", "Gen11", 8
	return d
}

// errata are the rows with errors in print, with the correct values. The test
// fails if such a row is correct, so that the list stays up to date.
var errata = map[int64]string{
	27:  "53,760 work-groups: 13.7 M work-items and 430 K threads are 26,880",
	38:  "47.7% for 47.62%",
	51:  "45.3% for 45.24%",
	56:  "53,760 work-groups: 13.7 M work-items and 430 K threads are 26,880",
	67:  "47.7% for 47.62%",
	80:  "45.3% for 45.24%",
	87:  "28.2% for 28.57%",
	112: "column Total XCs contains XVEs",
	113: "column Total XCs contains XVEs",
	114: "column Total XCs contains XVEs",
	115: "448 work-items per subslice are also the thread slots of the GPU: one number, two meanings",
	116: "at least 8 threads with 16 work-groups: 7 x 16 = 112 fill the subslice",
	117: "SLM of 64 KB in one edition and 128 KB in the others",
	118: "128 registers per XVE: they are per hardware thread",
	125: "40,690 work-items: 40 x 1,024 are 40,960",
	153: "44.75% for 43.75%",
	154: "89.5% for 87.5%",
}

// TestPublishedTables reproduces the occupancy tables in the guides and in the
// notebook: every row's exact value, and the printed one, rounded or truncated,
// except in rows with errata.
func TestPublishedTables(t *testing.T) {
	devices := map[string]*arch.Device{
		"Intel UHD Graphics P630 (Gen9)": gen9(), "Intel Iris Xe-LP TGL (Gen12)": tgl(), "Intel Iris Xe ICL (Gen11)": icl(), "Gen11": icl(),
		"Intel Data Center GPU Max 1100 (Xe HPC)": max1100(), "Intel Data Center GPU Max": max1100(),
	}
	rows := readOracle(t, "published_tables.csv")
	figures, printed, wrong := 0, 0, 0
	for _, r := range rows {
		id := r.int(t, "row")
		d := devices[r["device"]]
		if d == nil {
			t.Fatalf("row %d: device %q is not among those of this test", id, r["device"])
		}
		core, gpu := publishedFigures(t, d, r)
		fits := true
		for _, f := range []struct {
			got                    unit.Opt[unit.Ratio]
			exact, published, what string
		}{{core, r["exact_core_pct"], r["published_core_occ"], "Xe-core"}, {gpu, r["exact_gpu_pct"], r["published_gpu_occ"], "GPU"}} {
			want, err := strconv.ParseFloat(f.exact, 64)
			if err != nil {
				continue
			}
			got, ok := f.got.Value()
			if !ok || math.Abs(got.Percent()-want) > 1e-6 {
				t.Errorf("row %d %s: %s %v%%, exact %v", id, r["kernel"], f.what, got.Percent(), want)
			}
			figures++
			if f.published != "" && f.published != "close to 100%" {
				printed++
				fits = fits && asPrinted(f.published, got.Percent())
			}
		}
		text, known := errata[id]
		if known {
			wrong++
			t.Logf("erratum, row %d (%s): %s", id, r["source"], text)
		}
		if !fits != (known && isFigure(text)) {
			t.Errorf("row %d: printed %s %s, computed %v %v; erratum %q", id, r["published_core_occ"], r["published_gpu_occ"], core, gpu, text)
		}
	}
	t.Logf("%d rows, %d values exact, %d printed values compared, %d rows with errata, differences 0", len(rows), figures, printed, wrong)
	if len(rows) != 156 || wrong != len(errata) {
		t.Errorf("%d rows, %d errata of %d", len(rows), wrong, len(errata))
	}
}

// isFigure reports whether an erratum is about a percentage.
func isFigure(text string) bool { return strings.Contains(text, "% for ") }

// asPrinted reports whether a percentage equals the printed text after rounding
// or truncating to its digits.
func asPrinted(text string, percent float64) bool {
	text = strings.TrimSuffix(text, "%")
	_, decimals, _ := strings.Cut(text, ".")
	want, err := strconv.ParseFloat(text, 64)
	scale := math.Pow(10, float64(len(decimals)))
	digits := percent*scale + 1e-9
	return err == nil && (math.Round(want*scale) == math.Floor(digits) || math.Round(want*scale) == math.Floor(digits+0.5))
}

// publishedFigures returns a row's two values: for one Xe-core, and for the
// GPU.
func publishedFigures(t *testing.T, d *arch.Device, r record) (core, gpu unit.Opt[unit.Ratio]) {
	id := r.int(t, "row")
	if r["core_threads"] != "" && int64(d.SlotsPerXeCore()) != r.int(t, "core_threads") || r["gpu_threads"] != "" && int64(d.Slots()) != r.int(t, "gpu_threads") {
		t.Errorf("row %d: %d slots per Xe-core, %d of the GPU, want %s and %s", id, d.SlotsPerXeCore(), d.Slots(), r["core_threads"], r["gpu_threads"])
	}
	l := Launch{SIMD: 0}
	if r["barrier"] == "yes" {
		l.Barriers = 1
	}
	if r["published_threads"] != "" && r["published_threads"] != "fail to launch" && r["table"] != "VectorAdd TGL" {
		// What-if dispatch phases, which package timeline reproduces. Here only
		// the slot share is checked.
		return core, unit.Some(ratio(r.int(t, "published_threads"), int64(d.Slots())))
	}
	switch {
	case r["work_group_size"] == "":
		return core, gpu
	case r["work_group_size"] == "640+":
		rejected(t, d, Launch{Local: size(640), SIMD: 8, Barriers: 1}, id)
		return core, gpu
	}
	group := r.int(t, "work_group_size")
	l.Local, l.SIMD = size(group), int(r.int(t, "simd"))
	one := *d
	one.XeCores = 1
	if r["phase"] == "one group" || r["phase"] == "full Xe-core" {
		return publishedCore(t, &one, l, r), gpu
	}
	groups := r.int(t, "work_groups")
	if r["kernel"] == "VectorAdd1" {
		groups = 26880 // see errata
	}
	l.Global = size(groups * group)
	p := predicted(t, d, l)
	if items := strconv.FormatInt(groups*group, 10); r["work_items"] != items && errata[id] == "" {
		t.Errorf("row %d: %s work-items printed, %s computed", id, r["work_items"], items)
	}
	gpu = unit.Some(p.Peak)
	if r["phase"] == "2" {
		gpu = unit.Some(p.LastWaveOccupancy)
	}
	return unit.Some(predicted(t, &one, l).Peak), gpu
}

// publishedCore returns the share of one Xe-core that one work-group uses, or
// as many work-groups as fit.
func publishedCore(t *testing.T, one *arch.Device, l Launch, r record) unit.Opt[unit.Ratio] {
	l.Global = l.Local
	p := predicted(t, one, l)
	if r["phase"] == "one group" {
		return unit.Some(p.Peak)
	}
	if n := r.int(t, "work_groups"); p.GroupsPerXeCore != n {
		t.Errorf("row %s: %d work-groups per Xe-core, want %d", r["row"], p.GroupsPerXeCore, n)
	}
	return unit.Some(p.XeCore)
}

func predicted(t *testing.T, d *arch.Device, l Launch) Prediction {
	t.Helper()
	p, err := Predict(d, l)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func rejected(t *testing.T, d *arch.Device, l Launch, row int64) {
	t.Helper()
	var refusal *LaunchError
	if _, err := Predict(d, l); !errors.As(err, &refusal) || refusal.Code != "group-too-large" {
		t.Errorf("row %d: published as failing to launch, got %v", row, err)
	}
}
