package html_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/html"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
)

func document(r *compare.Result) *report.Document {
	return rundoc.FromResult(r, report.Provenance{Version: "v0.1.0", CommandLine: []string{"occudiff", "validate",
		"a run.csv", "-o", "r.html"}})
}

func render(t testing.TB, r *compare.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Render(&b, document(r)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	bulk   = regexp.MustCompile(`(?s)<(style|script|svg)\b[^>]*>.*?</(?:style|script|svg)>`)
	digest = regexp.MustCompile(`sha256-[^=]*=`)
)

// TestGolden checks the texts of a page and their order. Style, script, and
// drawings have their own tests.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		result       *compare.Result
	}{
		{"gaussian", "the whole page", sample.Gaussian()},
		{"hostile", "names stay plain text", sample.Hostile()},
		{"absent", "what is absent is a dash", sample.Absent()},
		{"logs", "log timings", sample.LogsOnly()},
		{"empty", "no row at all", sample.Empty()},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := digest.ReplaceAllString(bulk.ReplaceAllString(render(t, c.result), "<$1/>"), "sha256")
			testenv.Golden(t, "testdata/"+c.name+".html", []byte(page))
		})
	}
}

// TestSameBytes checks that a document renders to the same bytes each time.
func TestSameBytes(t *testing.T) {
	first := render(t, sample.Gaussian())
	if second := render(t, sample.Gaussian()); first != second {
		t.Error("two renderings differ")
	}
}

// TestNothingFromOutside checks that a page contains no address from which a
// browser would fetch something.
func TestNothingFromOutside(t *testing.T) {
	for name, r := range map[string]*compare.Result{"gaussian": sample.Gaussian(), "logs": sample.LogsOnly(),
		"absent": sample.Absent()} {
		page := strings.ReplaceAll(render(t, r), `xmlns="http://www.w3.org/2000/svg"`, "")
		for _, bad := range []string{"http:", "https:", "//cdn", "src=", "@import", "url(", "fetch(", "XMLHttpRequest",
			"<iframe", "<object", "<form"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s: the page contains %s", name, bad)
			}
		}
	}
}

// TestHostileNames checks that a name can neither open an element nor end an
// attribute, in the page and in its drawings.
func TestHostileNames(t *testing.T) {
	r := sample.Hostile()
	r.Rows[0].Task = `"><img src=x onerror=alert(1)>'</style></script></svg></title><script>alert(1)</script>`
	r.Rows[1].Task = "{{.}} ${x} <!-- ]]> javascript:alert(1)"
	page := render(t, r)
	for _, bad := range []string{"<script>alert", "<img", "onerror=alert(1)>", "<!-- ]]>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	for _, element := range []string{"script", "style", "title>Predicted"} {
		if n := strings.Count(page, "<"+element); n != 1 {
			t.Errorf("%d elements %s, want 1", n, element)
		}
	}
	if !strings.Contains(page, "&lt;img src=x onerror=alert(1)&gt;") {
		t.Error("the name is not there as text")
	}
}

// TestLinksHaveTargets checks that every link has a target on the page, and
// that no target's name occurs twice.
func TestLinksHaveTargets(t *testing.T) {
	for name, r := range map[string]*compare.Result{"gaussian": sample.Gaussian(), "hostile": sample.Hostile(),
		"many": mismatching(300)} {
		page := render(t, r)
		ids := map[string]int{}
		for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
			if ids[m[1]]++; ids[m[1]] == 2 {
				t.Errorf("%s: the id %s occurs twice", name, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
			if ids[m[1]] == 0 {
				t.Errorf("%s: the link #%s leads nowhere", name, m[1])
			}
		}
	}
}

// mismatching returns a run with n kernels that all need attention: the largest
// page.
func mismatching(n int) *compare.Result {
	r, like := sample.Many(n), sample.Gaussian().Rows[0]
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Verdict, row.Cause, row.Measured, row.Difference = like.Verdict, like.Cause, like.Measured, like.Difference
	}
	r.Summary = compare.Summary{Kernels: n, Below: n}
	return r
}

// TestSize checks that a page with 5,000 kernels is smaller than 5 MB, whether
// all kernels match or none.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		name   string
		result *compare.Result
	}{{"all match", sample.Many(5000)}, {"none matches", mismatching(5000)}} {
		if n := len(render(t, c.result)); n > 5_000_000 {
			t.Errorf("%s: %d bytes, want at most 5,000,000", c.name, n)
		} else {
			t.Logf("%s: %d bytes", c.name, n)
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorIsReturned(t *testing.T) {
	if err := html.Render(full{}, document(sample.Gaussian())); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}

func BenchmarkRender(b *testing.B) {
	for _, n := range []int{10, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := document(mismatching(n))
			size := 0
			for b.Loop() {
				var w bytes.Buffer
				if err := html.Render(&w, d); err != nil {
					b.Fatal(err)
				}
				size = w.Len()
			}
			b.ReportMetric(float64(size), "bytes/page")
		})
	}
}

// TestFold checks that long names are folded but complete. One template name
// can fill a screen, and readers must still be able to search and copy it.
func TestFold(t *testing.T) {
	long := strings.Repeat("detail::reduce_float::", 20)
	for _, c := range []struct {
		name string
		want bool
	}{{long, true}, {"gemm", false}} {
		page := render(t, sample.Named(c.name))
		if got := strings.Contains(page, "<th scope=row><span class=fold tabindex=0>"); got != c.want {
			t.Errorf("a name of %d characters is folded: %v, want %v", len(c.name), got, c.want)
		}
		if !strings.Contains(page, c.name) {
			t.Errorf("a name of %d characters is not there as a whole", len(c.name))
		}
	}
}
