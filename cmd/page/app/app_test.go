package app_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"occudiff/cmd/page/app"
	"occudiff/fixtures"
)

func newApp(t testing.TB) *app.App {
	t.Helper()
	a, err := app.New("v0.0.0-test")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestPredict checks the values that the page shows in large type. They must
// equal the values of `occudiff predict`.
func TestPredict(t *testing.T) {
	for _, c := range []struct {
		reason string
		launch app.Launch
		want   string // peak, average, waves, limits
	}{
		{"a launch with a tail", app.Launch{"device": "tgl", "global": "22528", "local": "512", "simd": "32"}, "100.0 52.4 1.05 threads, tail"},
		{"no global size: an Xe-core", app.Launch{"device": "max1100", "local": "256", "simd": "32"}, "- - - threads"},
		{"counts with a unit", app.Launch{"device": "max1100", "global": "1M", "local": "256", "simd": "32"}, "100.0 91.4 9.14 threads, tail"},
		{"registers pick the mode", app.Launch{"device": "max1100", "global": "1M", "local": "256", "simd": "32", "registers": "256"},
			"50.0 48.1 18.29 threads, registers"},
	} {
		r, err := newApp(t).Predict(c.launch)
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		f := r.Fields
		if got := strings.Join([]string{f["peak"], f["average"], f["waves"], f["limits"]}, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
		if !strings.Contains(r.HTML, "thread slots") {
			t.Errorf("%s: no reasoning in the answer", c.reason)
		}
	}
}

func TestPredictRejects(t *testing.T) {
	for _, c := range []struct{ reason, field, value, want string }{
		{"no device", "device", "", "the inputs do not identify the GPU"},
		{"a device that is none", "device", "gtx", "gtx"},
		{"a size that is none", "local", "16x", "local: "},
		{"a count that is none", "simd", "many", `simd "many": expected a whole number from 1`},
		{"memory that is none", "slm", "4Q", "slm "},
		{"a work-group above the device's most", "local", "4096", "above the 1024"},
	} {
		l := app.Launch{"device": "max1100", "global": "1M", "local": "256", "simd": "32"}
		l[c.field] = c.value
		if _, err := newApp(t).Predict(l); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.reason, err, c.want)
		}
	}
}

// TestOthers checks the sections of PredictOthers, which are below the
// prediction.
func TestOthers(t *testing.T) {
	r, err := newApp(t).PredictOthers(app.Launch{"device": "a770", "global": "1M", "local": "256", "simd": "16", "slm": "16K", "barriers": "2",
		"with": "max1100, tgl,nothing", "calculator": "1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="plot-local"`, `id="plot-slm"`, `id="plot-simd"`, "Settings with a higher occupancy", "On other devices", "max1100",
		"nothing", "Intel GPU Occupancy Calculator"} {
		if !strings.Contains(r.HTML, want) {
			t.Errorf("no %s next to the prediction", want)
		}
	}
}

// TestCalculator checks the sentences about differences from Intel's
// calculator.
func TestCalculator(t *testing.T) {
	for _, c := range []struct {
		reason string
		launch app.Launch
		want   string
	}{
		{"without a barrier threads go to any free slot", app.Launch{"device": "tgl", "global": "81920", "local": "320", "simd": "16"},
			"It keeps each work-group on one Xe-core"},
		{"the same", app.Launch{"device": "tgl", "global": "1M", "local": "256", "simd": "16", "slm": "16K", "barriers": "1"},
			"The calculator and the model agree."},
		{"a device that it lacks", app.Launch{"device": "max1100", "global": "1M", "local": "256", "simd": "16", "registers": "160"},
			"160"},
	} {
		c.launch["calculator"] = "1"
		r, err := newApp(t).PredictOthers(c.launch)
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && !strings.Contains(r.HTML, c.want) {
			t.Errorf("%s: no %q, %v", c.reason, c.want, err)
		}
	}
}

// TestRuns validates and compares files, and saves the results.
func TestRuns(t *testing.T) {
	a, ctx := newApp(t), context.Background()
	if err := a.Download(io.Discard, "json"); err == nil {
		t.Error("a download of nothing")
	}
	export := filepath.Join("..", "..", "..", "fixtures", "max1100_mix.hotspots.csv")
	r, err := a.Validate(ctx, []string{export}, app.RunSettings{Device: "max1100", Interval: 0.1, Tolerance: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "max1100_mix" || !strings.Contains(r.HTML, "2 points; ") {
		t.Errorf("%s: %.300s", r.Name, r.HTML)
	}
	for _, format := range []string{"html", "md", "json", "csv"} {
		var b bytes.Buffer
		if err := a.Download(&b, format); err != nil || b.Len() < 1000 {
			t.Errorf("%s: %d bytes, %v", format, b.Len(), err)
		}
	}
	if r, err := a.Compare(ctx, [][]string{{export}, {export}}, app.RunSettings{Device: "max1100"}); err != nil || r.Name != "diff" {
		t.Errorf("two sides: %v", err)
	}
	if r, err := a.Compare(ctx, [][]string{{export}, {export}, {export}}, app.RunSettings{Device: "max1100"}); err != nil || r.Name != "runs" {
		t.Errorf("three sides: %v", err)
	}
	if _, err := a.Example(ctx); err != nil {
		t.Error(err)
	}
}

// TestErrors checks that the page's problems contain the parts of the error
// that a terminal would print.
func TestErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.csv")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := newApp(t).Validate(context.Background(), []string{path}, app.RunSettings{})
	list := app.ProblemsOf(err)
	if len(list) == 0 || list[0].Where != path || !strings.Contains(list[0].Text, "empty") || list[0].Hint == "" {
		t.Errorf("%+v of %v", list, err)
	}
	if list := app.ProblemsOf(errors.New("plain")); len(list) != 1 || list[0].Text != "plain" {
		t.Errorf("%+v", list)
	}
}

// FuzzPredict fills the form with arbitrary values.
func FuzzPredict(f *testing.F) {
	f.Add("max1100", "1M", "16x16", "32", "16K", "256", "1", "tgl,mtl")
	f.Add("", "", "", "", "", "", "", "")
	f.Add("max1100", "10", "", "16", "16K", "25", "1", "tgl") // no launch can run
	a, err := app.New("v0")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, device, global, local, simd, slm, registers, barriers, with string) {
		l := app.Launch{"device": device, "global": global, "local": local, "simd": simd, "slm": slm, "registers": registers,
			"barriers": barriers, "with": with}
		r, err := a.Predict(l)
		if (r == nil) == (err == nil) {
			t.Fatalf("%v, %v", r, err)
		}
		if len(with) < 100 {
			_, _ = a.PredictOthers(l)
		}
	})
}

// TestNoFlags checks that the page's texts do not mention flags, because users
// of the page cannot set flags.
func TestNoFlags(t *testing.T) {
	a := newApp(t)
	folder := t.TempDir()
	export := filepath.Join(folder, "run.csv")
	mix, err := fixtures.FS.ReadFile(fixtures.Mix()[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(export, mix, 0o666); err != nil {
		t.Fatal(err)
	}
	worse := filepath.Join("..", "..", "..", "fixtures", "max1100_mix_worse.hotspots.csv")
	alone := filepath.Join(folder, "alone.csv")
	if err := os.WriteFile(alone, []byte(`Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width,XVE Threads Occupancy(%),Peak XVE Threads Occupancy(%)
Fan1,2048,16,1.0,10,32,10.0,14.3
`), 0o666); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(folder, "vec_add.log")
	if err := os.WriteFile(log, []byte("VectorAdd3<6> completed on device - 5.9 u-secs\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason string
		ask    func() (*app.Result, error)
		want   string
	}{
		{"no device", func() (*app.Result, error) { return a.Validate(t.Context(), []string{export}, app.RunSettings{}) }, "choose the device"},
		{"no device, but a consistent one", func() (*app.Result, error) { return a.Validate(t.Context(), []string{alone}, app.RunSettings{}) }, "choose mtl-112"},
		{"a device by the form", func() (*app.Result, error) {
			return a.Validate(t.Context(), []string{export}, app.RunSettings{Device: "max1100"})
		}, "Device from the form"},
		{"another device than the run's", func() (*app.Result, error) {
			return a.Validate(t.Context(), []string{export}, app.RunSettings{Device: "tgl-96"})
		}, "The device cannot be the GPU that ran"},
		{"unknown and ambiguous device names", func() (*app.Result, error) {
			return a.PredictOthers(app.Launch{"device": "max1100", "global": "1M", "local": "256", "simd": "32", "with": "mtl,nosuch", "calculator": "1"})
		}, "Device &#34;mtl&#34; may be mtl-128 (128 XVE), mtl-112 (112 XVE), mtl-64 (64 XVE): give the key of one of them"},
		{"a regression", func() (*app.Result, error) {
			return a.Compare(t.Context(), [][]string{{export}, {worse}}, app.RunSettings{Device: "max1100"})
		}, "histogram_rows"},
		{"a number of XVEs that the device does not have", func() (*app.Result, error) {
			return a.Predict(app.Launch{"device": "b580", "xve": "7"})
		}, "check the device and its number of XVEs"},
		{"a device whose number of Xe-cores is not public", func() (*app.Result, error) {
			return a.Predict(app.Launch{"device": "nvl-p", "global": "1M"})
		}, "give the number of XVEs"},
		{"a PCI id of several devices", func() (*app.Result, error) {
			return a.Predict(app.Launch{"device": "0xE20D", "global": "1M", "local": "256", "simd": "32"})
		}, "another number of XVEs chooses another"},
		{"a device with the shape of another", func() (*app.Result, error) {
			return a.Predict(app.Launch{"device": "Intel(R) Arc(TM) Graphics", "xve": "128", "global": "1M", "local": "256", "simd": "32"})
		}, "give the key of your device"},
		{"a log without sizes", func() (*app.Result, error) {
			return a.Validate(t.Context(), []string{log}, app.RunSettings{Device: "max1100"})
		}, "add the VTune export to the log"},
		{"an unknown device", func() (*app.Result, error) { return a.Predict(app.Launch{"device": "nosuch"}) }, "give a key of the device table"},
	} {
		text := ""
		r, err := c.ask()
		if err == nil {
			text = r.HTML
		}
		for _, f := range problems(err) {
			text += f.Text + " " + f.Hint
		}
		if strings.Contains(text, "occudiff validate --device") {
			t.Errorf("%s: a command that cannot read the file", c.reason)
		}
		text, _, _ = strings.Cut(text, `id="terms"`)                             // the terms cover all interfaces
		text = regexp.MustCompile("<code>.*?</code>").ReplaceAllString(text, "") // a command to paste elsewhere
		if flag := regexp.MustCompile(`.{0,40}([^-(]|[^r]\()--[a-z][a-z-]+`).FindString(text); flag != "" || !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q, or the flag in %q", c.reason, c.want, flag)
		}
	}
}

func problems(err error) []app.Problem {
	if err == nil {
		return nil
	}
	return app.ProblemsOf(err)
}
