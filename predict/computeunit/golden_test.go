package computeunit_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/predict/computeunit"
)

func builtin(t testing.TB) computeunit.Table {
	t.Helper()
	table, err := computeunit.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func find(t testing.TB, table computeunit.Table, key string) computeunit.Platform {
	t.Helper()
	p, err := table.Find(key)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func number(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// cells returns a result in the reference data's format, without percentages.
func cells(r computeunit.Result) map[string]string {
	opt := func(o unit.Opt[int64]) string {
		if v, ok := o.Value(); ok {
			return strconv.FormatInt(v, 10)
		}
		return ""
	}
	spilled := "0"
	if r.Spilled {
		spilled = "1"
	}
	itoa := func(v int64) string { return strconv.FormatInt(v, 10) }
	return map[string]string{
		"regs_available_bytes": itoa(int64(r.RegisterBytesAllowed)), "spilled": spilled,
		"reg_limit": opt(r.ByRegisters), "slm_limit": opt(r.BySLM), "subgroup_limit": itoa(r.BySubgroups),
		"hw_limit": itoa(r.ByHardware), "final_limit": itoa(r.Groups), "limited_by": strings.Join(r.Limits, "+"),
		"subgroups_per_wg": itoa(r.SubgroupsPerGroup), "active_subgroups": itoa(r.ActiveSubgroups),
		"total_subgroups": itoa(r.TotalSubgroups), "padded_threads": itoa(r.PaddedSize),
		"reg_limit_padded": opt(r.ByRegistersPadded),
	}
}

func TestReproducesEveryReferenceCase(t *testing.T) {
	f, err := os.Open(testenv.Shared(t, "golden", "compute_unit.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := builtin(t)
	compared, different := 0, 0
	for _, rec := range records[1:] {
		want := map[string]string{}
		for i, cell := range rec {
			want[records[0][i]] = cell
		}
		p := find(t, table, want["platform"])
		r, err := p.Predict(computeunit.Launch{
			GroupSize: number(t, want["wg_size"]), SubgroupSize: number(t, want["subgroup_size"]),
			SLM: unit.Bytes(number(t, want["slm_bytes_per_wg"])), RegisterBytes: unit.Bytes(number(t, want["reg_bytes_per_item"])),
		})
		if err != nil {
			t.Fatalf("%s: %v", want["id"], err)
		}
		before := different
		for column, got := range cells(r) {
			compared++
			if got != want[column] {
				different++
				t.Errorf("%s %s: got %s; want %s", want["id"], column, got, want[column])
			}
		}
		for column, got := range map[string]unit.Ratio{"subgroup_occ_pct": r.Occupancy, "thread_occ_pct": r.Lanes} {
			compared++
			w, err := strconv.ParseFloat(want[column], 64)
			if err != nil || math.Abs(float64(got)*100-w) > 1e-9*w+5e-11 { // the reference has ten decimals
				different++
				t.Errorf("%s %s: got %v; want %s", want["id"], column, float64(got)*100, want[column])
			}
		}
		if different > before+20 {
			t.FailNow()
		}
	}
	if n := len(records) - 1; n != 5000 {
		t.Errorf("the reference has %d cases; expected 5000", n)
	}
	t.Logf("compute units: %d rows and %d cells compared, %d differ", len(records)-1, compared, different)
}

func TestBuiltinAgreesWithTheReferencePlatforms(t *testing.T) {
	data, err := os.ReadFile(testenv.Shared(t, "golden", "devices.json"))
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Platforms []struct {
			Key      string     `json:"key"`
			Blocks   int64      `json:"processing_blocks"`
			States   int64      `json:"subgroup_states_per_block"`
			Subgroup unit.Bytes `json:"register_file_bytes_per_subgroup"`
			Unit     unit.Bytes `json:"register_file_bytes_per_cu"`
			SLM      unit.Bytes `json:"slm_bytes_per_cu"`
			Groups   int64      `json:"max_active_wgs"`
		} `json:"cu_platforms"`
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	table := builtin(t)
	for _, want := range reference.Platforms {
		p := find(t, table, want.Key)
		if int64(p.Blocks) != want.Blocks || int64(p.SubgroupsPerBlock) != want.States || p.RegisterBytesPerSubgroup != want.Subgroup ||
			p.RegisterBytes != want.Unit || p.SLM != want.SLM || int64(p.MaxGroups) != want.Groups {
			t.Errorf("platform %s is %+v; the reference has %+v", want.Key, p, want)
		}
	}
	if len(reference.Platforms) != len(table.Keys()) {
		t.Errorf("%d platforms; the reference has %d", len(table.Keys()), len(reference.Platforms))
	}
}
