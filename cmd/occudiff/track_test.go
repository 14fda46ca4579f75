package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"occudiff/internal/testenv"
)

// goldenSeries is a real series, with the change points that Apache Otava finds
// in it for several parameter sets.
type goldenSeries struct {
	Values []float64 `json:"values"`
	Runs   []struct {
		Window    int     `json:"window"`
		P         float64 `json:"max_pvalue"`
		Magnitude float64 `json:"min_magnitude"`
		Points    []struct {
			Index      int     `json:"index"`
			P          float64 `json:"p"`
			MeanBefore float64 `json:"mean_before"`
			MeanAfter  float64 `json:"mean_after"`
		} `json:"change_points"`
	} `json:"runs"`
}

// goldenReport is the JSON of a series in the output of track report.
type goldenReport struct {
	Name    string `json:"name"`
	Points  int    `json:"points"`
	Changes []struct {
		Index      int     `json:"index"`
		Time       string  `json:"time"`
		P          float64 `json:"p"`
		MeanBefore float64 `json:"mean_before"`
		MeanAfter  float64 `json:"mean_after"`
	} `json:"change_points"`
}

func readGolden(t *testing.T) map[string]goldenSeries {
	t.Helper()
	text, err := os.ReadFile(testenv.Shared(t, "golden", "change_points.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Series map[string]goldenSeries `json:"series"`
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	return golden.Series
}

// inTrack runs a command, checks its exit status, and returns its output.
func inTrack(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if status := run(context.Background(), a, args); status != want {
		t.Fatalf("occudiff %s: exit %d, want %d\n%s", strings.Join(args, " "), status, want, errs.String())
	}
	return out.String()
}

// TestTrackReportGolden imports every golden series and runs the command with
// every parameter set. It checks that the change points have the same indices,
// and that p and the means have a relative error of at most 1e-9.
func TestTrackReportGolden(t *testing.T) {
	golden := readGolden(t)
	for _, metric := range []string{"seconds", "measured"} { // only measured is converted from percentages
		t.Run(metric, func(t *testing.T) {
			dir := t.TempDir()
			db, file := filepath.Join(dir, "golden.db"), filepath.Join(dir, "golden.csv")
			writeGolden(t, file, golden)
			inTrack(t, exitDone, "track", "import", file, "--db", db, "--metric", metric)
			sets := 0
			for _, set := range parameterSets(golden) {
				var v struct{ Series []goldenReport }
				out := inTrack(t, exitDone, "track", "report", "--format", "json", "--db", db, "--metric", metric, "--window", strconv.Itoa(set.window),
					"--p", fmt.Sprint(set.p), "--magnitude", fmt.Sprint(set.magnitude))
				if err := json.Unmarshal([]byte(out), &v); err != nil {
					t.Fatal(err)
				}
				if len(v.Series) != len(golden) {
					t.Fatalf("%d series came back of %d", len(v.Series), len(golden))
				}
				for i := range v.Series {
					sets += compareGolden(t, set, &v.Series[i], golden[v.Series[i].Name])
				}
			}
			if want := 8 * len(golden); sets != want {
				t.Errorf("%d sets of change points were compared, want %d", sets, want)
			}
		})
	}
}

type parameterSet struct {
	window       int
	p, magnitude float64
}

// parameterSets returns the parameter sets of all series.
func parameterSets(golden map[string]goldenSeries) []parameterSet {
	var sets []parameterSet
	for _, s := range golden {
		for _, r := range s.Runs {
			if set := (parameterSet{r.Window, r.P, r.Magnitude}); !slices.Contains(sets, set) {
				sets = append(sets, set)
			}
		}
	}
	return sets
}

// writeGolden writes a file for track import with the series, with one run per
// day.
func writeGolden(t *testing.T, file string, golden map[string]goldenSeries) {
	t.Helper()
	var b strings.Builder
	b.WriteString("series,time,value\n")
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, s := range golden {
		for i, v := range s.Values {
			fmt.Fprintf(&b, "%s,%s,%s\n", name, start.AddDate(0, 0, i).Format(time.RFC3339), strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// compareGolden compares the report of one series with the result for one
// parameter set. It returns the number of results that it compared.
func compareGolden(t *testing.T, set parameterSet, got *goldenReport, want goldenSeries) int {
	t.Helper()
	for _, r := range want.Runs {
		if r.Window != set.window || r.P != set.p || r.Magnitude != set.magnitude {
			continue
		}
		if got.Points != len(want.Values) || len(got.Changes) != len(r.Points) {
			t.Errorf("%s, %+v: %d change points in %d points, want %d in %d", got.Name, set, len(got.Changes), got.Points, len(r.Points), len(want.Values))
			return 1
		}
		for k, w := range r.Points {
			g := got.Changes[k]
			if g.Index != w.Index || !near(g.P, w.P) || !near(g.MeanBefore, w.MeanBefore) || !near(g.MeanAfter, w.MeanAfter) {
				t.Errorf("%s, %+v: got %+v, want %+v", got.Name, set, g, w)
			}
			if day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, w.Index).Format(time.RFC3339); g.Time != day {
				t.Errorf("%s, %+v: change point %d is at %s, want %s", got.Name, set, w.Index, g.Time, day)
			}
		}
		return 1
	}
	return 0
}

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

// TestReadersNeverWrite checks that commands that only read a history leave its
// bytes unchanged, including a history that they cannot read.
func TestReadersNeverWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	var lines strings.Builder
	lines.WriteString("series,time,value,device\n")
	for i := range 12 {
		fmt.Fprintf(&lines, "k,%d,%d,mtl-112\n", 1767225600+i*3600, 60+i%2)
	}
	if err := os.WriteFile("points.csv", []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	inTrack(t, exitDone, "track", "import", "points.csv", "--db", "h.db")
	bytes := func() string {
		text, err := os.ReadFile("h.db")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	readers := []string{"track list", "track export", "track export out.csv", "track report", "track check", "track check --last 3 --fail-on never",
		"track backtest", "track backtest --target 1", "diff --noise h.db a.csv a.csv --device mtl-112"}
	writers := []string{"track accept --all", "track rename k j", "track remove 1 --yes", "track import points.csv"}
	export := "Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width," +
		"XVE Array:Active(%),XVE Array:Stalled(%),XVE Array:Idle(%),Peak XVE Threads Occupancy(%),XVE Threads Occupancy(%)\n" +
		"k,4096,256,1.07,200,32,44.5,54.3,1.2,100.0,60.5\n"
	if err := os.WriteFile("a.csv", []byte(export), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(want int, commands ...string) {
		t.Helper()
		before := bytes()
		for _, command := range commands {
			args := strings.Fields(command)
			if args[0] == "track" {
				args = append(args, "--db", "h.db")
			}
			inTrack(t, want, args...)
			if bytes() != before {
				t.Errorf("%s changed the history", command)
			}
		}
	}
	ask(exitDone, readers...)
	db, err := sql.Open("sqlite", "h.db")
	if err == nil {
		_, err = db.Exec("UPDATE occudiff_meta SET value = 5")
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	ask(exitUsage, append(readers, writers...)...)
	if err := os.WriteFile("h.db", []byte(bytes()[:5000]), 0o600); err != nil { // a truncated history
		t.Fatal(err)
	}
	ask(exitUsage, readers...)
	if err := os.WriteFile("h.db", []byte("kernel,time\n"), 0o600); err != nil { // a file that is not a history
		t.Fatal(err)
	}
	ask(exitUsage, append(readers, writers...)...)
}
