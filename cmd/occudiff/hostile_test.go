package main

import (
	"archive/zip"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// hostile contains texts that do harm if a program that reads an output
// interprets them.
var hostile = []string{
	"::error::forged", " ::set-output name=a::b", "##[error]forged", "##[group]", "##vso[task.setvariable variable=a]b", "esc\x1b[31mred\x1b]0;title\x07", "csi\u009b31m", "bidi\u202eabc\u2066\u200f",
	"bad\xff\xfe\x80", "nul\x00x", "bell\a\b\x7f", "=1+1", "x;=1+1", "x\t=1+1", "\n=1+1", "\r\n@x", "＝1+1", " +1", "-2+3", "'=1", "a\nb", "a\u2028b", "\ufeff=1",
	"<script>alert(1)</script>", "</script><script>", "<!--", "]]>&amp;<![CDATA[", `"><img src=x onerror=alert(1)>`, "a|b*c_d`e`", "[x](javascript:alert(1))",
	"# heading", "- item", "\ufffe\uffff", "%0A::error::x", "a,b=c", "{{.}}", "${x}", "$(x)", "wide漢字", "e\u0301\u200b",
	"\u00a0::error::a", "\u1680 ::error::b", "\u2028::error::c", "\u3000\u205f::error::d", "\u0085::error::e", "\x1b[0m::error::f", "\t\u2003##[error]g",
}

// visible reports whether a character may be printed. It checks the rule of
// package report with a second implementation.
func visible(r rune) bool {
	return r == '\n' || r == '\t' || !unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Noncharacter_Code_Point)
}

// jobCommand matches a command for a CI job's runner. A runner trims all
// Unicode spaces at the beginning of a line, and the log viewer may already
// have removed colors.
var jobCommand = regexp.MustCompile(`(?m)^([\s\p{Z}\x{85}\x{feff}]|\x1b\[[0-9;]*m)*::|##[a-z]*\[`)

// checkText returns an error if a text contains something that a terminal or a
// CI job's runner would execute.
func checkText(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("invalid UTF-8")
	}
	if err := checkVisible(text); err != nil {
		return err
	}
	return checkJob(text)
}

// checkJob returns an error if a text contains something that a CI job's runner
// would execute.
func checkJob(text string) error {
	if at := jobCommand.FindStringIndex(text); at != nil {
		return fmt.Errorf("holds a command of a CI job: %q", text[at[0]:min(len(text), at[1]+20)])
	}
	return nil
}

// checkCSV returns an error if a spreadsheet would execute a cell, whatever
// separator it uses.
func checkCSV(text string) error {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	var cells []string
	for _, r := range records {
		cells = append(cells, r...)
	}
	quoted := false
	cells = append(cells, strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && strings.ContainsRune(";,\t\n", r)
	})...)
	number := regexp.MustCompile(`^[+-]?[0-9.]+$`)
	for _, c := range cells {
		c = strings.Trim(c, `"`)
		first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(c, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\ufeff' }))
		if strings.ContainsRune("=+-@＝＋－＠", first) && !number.MatchString(c) {
			return fmt.Errorf("a spreadsheet would run %q", c)
		}
	}
	return nil
}

func checkXML(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// checkHTML returns an error if a page contains scripts, event handlers, or
// links that are not its own.
func checkHTML(text string) error {
	scripts := 0
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return err
			}
			if scripts > 2 {
				return fmt.Errorf("%d scripts", scripts)
			}
			return checkVisible(text)
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.Data == "script" {
				scripts++
			}
			for _, at := range t.Attr {
				if strings.HasPrefix(at.Key, "on") || strings.HasPrefix(strings.TrimSpace(at.Val), "javascript:") {
					return fmt.Errorf("<%s %s=%q>", t.Data, at.Key, at.Val)
				}
			}
		}
	}
}

func checkVisible(text string) error {
	for _, r := range text {
		if !visible(r) {
			return fmt.Errorf("holds %U", r)
		}
	}
	return nil
}

// codeSpan matches a code span that contains no character that would end the
// span or its table cell.
var codeSpan = regexp.MustCompile("`[^`|\\\\\n]+`")

// checkFile returns an error if an output file is unsafe or invalid. The ending
// of the file selects the check.
func checkFile(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch filepath.Ext(path) {
	case ".md":
		if strings.Contains(codeSpan.ReplaceAllString(string(b), ""), "<script") {
			return errors.New("holds HTML")
		}
		return checkText(string(b))
	case ".csv":
		return checkCSV(string(b))
	case ".json":
		if !json.Valid(b) {
			return errors.New("invalid JSON")
		}
		return nil
	case ".xml", ".svg":
		return checkXML(string(b))
	case ".html":
		return checkHTML(string(b))
	case ".xlsx":
		return checkWorkbook(path)
	}
	return fmt.Errorf("an ending that nobody checks")
}

func checkWorkbook(path string) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, part := range z.File {
		r, err := part.Open()
		if err != nil {
			return err
		}
		b, err := io.ReadAll(r)
		if err == nil {
			err = checkXML(string(b))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
		if strings.Contains(string(b), "<f>1+1") || strings.Contains(string(b), "javascript:") && strings.HasSuffix(part.Name, ".rels") {
			return fmt.Errorf("%s holds a text of others as a formula or a link", part.Name)
		}
	}
	return nil
}

// quote returns a text as a CSV cell.
func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// hostileFiles writes inputs with hostile texts in every text field.
func hostileFiles(t *testing.T) {
	t.Helper()
	export := func(measured int) string {
		var b strings.Builder
		b.WriteString("Computing Task,GPU Adapter,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width,XVE Threads Occupancy(%)\n")
		for i, h := range hostile {
			fmt.Fprintf(&b, "%s,%s,1048576,256,%d.5,10,16,%d.0\n", quote(h), quote(hostile[(i+1)%len(hostile)]), i+1, (measured+i)%100)
		}
		b.WriteString("bad row\n\"::error::bad\x1b[31m\",x,1,1,=1+1,x,x,x\n")
		return b.String()
	}
	devices := "key,name,xe_cores,xve_per_xe_core,threads_per_xve,simd_widths,slm_kb_per_xe_core,slm_kb_per_work_group_max,slm_steps_kb,work_group_max_items\n"
	batch := "id,device,local,simd,::error::column\x1b[31m\n"
	points := "series,time,value,run,device,driver,label\n"
	for i, h := range hostile {
		devices += fmt.Sprintf("dev%d,%s,%d,8,8,8 16 32,64,64,0 1 2 4 8 16 32 64,1024\n", i, quote(h+"#"+fmt.Sprint(i)), i+1)
		batch += fmt.Sprintf("%s,%s,64,16,x\n", quote(h), quote(h))
		for n := range 12 {
			points += fmt.Sprintf("%s,%d,%d,%s,%s,%s,%s\n", quote(h+"x"), 1700000000+n*3600, 50-n/11*30, quote(fmt.Sprint(h, n)), quote(h), quote(h), quote(h))
		}
	}
	trace, samples := "[\n", "Kernel,GpuTime[ns],EuThreadOccupancy[%],QueryBeginTime[ns],StreamMarker,\n"
	for i, h := range hostile {
		text, _ := json.Marshal(h)
		trace += fmt.Sprintf(`{"ph":"X","cat":"gpu_op","name":%s,"pid":%s,"tid":%d,"ts":%d,"dur":%d},`+"\n", text, text, i, 10*i, 15)
		trace += fmt.Sprintf(`{"ph":"M","name":"process_name","pid":%s,"args":{"name":%s}},`+"\n", text, text)
		if !strings.ContainsAny(h, "\"\n\r") {
			samples += fmt.Sprintf("%s[SIMD16 {64; 1; 1} {64; 1; 1}],1000,50,%d,0,\n", h, 1000*i)
		}
	}
	for name, text := range map[string]string{"trace.json": trace, "samples.txt": samples, "old/::error::x\x1b[31m.csv": export(10), "new/run.csv": export(60), "devices.csv": devices, "batch.csv": batch,
		"points.csv": points, "::error::\n::error::y\x1b]0;t\x07": "nothing"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Skip("no such names here: ", err)
		}
	}
}

// TestHostile writes hostile texts into every text field of the inputs, and
// checks every output of the commands.
func TestHostile(t *testing.T) {
	t.Chdir(t.TempDir())
	hostileFiles(t)
	run := func(status []int, args ...string) {
		t.Helper()
		var out, errs strings.Builder
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
		got := run(context.Background(), a, args)
		if !slices.Contains(status, got) {
			t.Errorf("%q: exit %d\n%s", args, got, errs.String())
		}
		check, format := checkText, "table"
		for i, w := range args {
			if w == "--format" {
				format = args[i+1]
			}
		}
		switch {
		case format == "json":
			check = func(s string) error {
				if got == exitDone && !json.Valid([]byte(s)) {
					return errors.New("invalid JSON")
				}
				return checkJob(s)
			}
		case format == "csv" || args[0] == "predict" && slices.Contains(args, "--batch") || args[0] == "track" && args[1] == "export":
			check = checkCSV // names are exact, because another program reads this CSV
		}
		printed := out.String()
		if slices.Contains(args, "--color") && format != "csv" {
			if err := checkJob(printed); err != nil {
				t.Errorf("%q prints: %v", args, err)
			}
			printed = regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(printed, "")
		}
		if err := check(printed); err != nil {
			t.Errorf("%q prints: %v\n%q", args, err, out.String())
		}
		text := errs.String()
		if slices.Contains(args, "--annotations") {
			text = regexp.MustCompile(`(?m)^::(error|warning|notice)( |::)`).ReplaceAllString(text, "")
		}
		if err := checkText(text); err != nil {
			t.Errorf("%q says: %v\n%q", args, err, text)
		}
	}
	ok := []int{exitDone, exitGate}
	own := []string{"--label", "::error::label\x1b[31m", "--driver", "=1+1\x1b]0;x\x07"}
	for n, args := range [][]string{
		{"validate", "old", "--device-file", "devices.csv", "--device", "dev3", "--annotations"},
		{"validate", "old", "new", "--device", "max1100"}, {"validate", "old", "--device", "max1100", "-v", "--color", "always"},
		{"validate", "trace.json", "--device", "max1100"},
		{"validate", "samples.txt", "--timeline", "--device", "max1100"},
		{"diff", "old", "new", "--device-file", "devices.csv", "--device", "dev30"},
		{"advise", "--device-file", "devices.csv", "--device", "dev4", "--local", "64", "--simd", "16"},
		{"predict", "--device-file", "devices.csv", "--device", "dev1,dev2,dev4", "--local", "64", "--simd", "16"},
		{"predict", "--device-file", "devices.csv", "--device", "dev1,dev2", "--sweep", "local"},
		{"devices", "--device-file", "devices.csv"}, {"devices", "dev4", "--device-file", "devices.csv"},
		{"track", "check", "--db", "h.db"}, {"track", "report", "--db", "h.db"}, {"track", "list", "--db", "h.db"}, {"track", "backtest", "--db", "h.db"},
	} {
		if n == 0 {
			run(ok, append([]string{"track", "add", "--db", "h.db", "--device", "max1100", "--allow-unreadable", "old", "new"}, own...)...)
			run(ok, "track", "import", "--db", "h.db", "points.csv")
			run(ok, "track", "export", "--db", "h.db")
			run(ok, "track", "export", "--db", "h.db", "export.csv")
			run(ok, "predict", "--device-file", "devices.csv", "--batch", "batch.csv")
			run(ok, "predict", "--device-file", "devices.csv", "--batch", "batch.csv", "-o", "out.csv")
		}
		if args[0] != "track" && args[0] != "devices" && args[0] != "predict" && (args[0] != "advise") {
			args = append(args, own...)
		}
		for _, format := range []string{"table", "markdown", "json", "csv"} {
			run(append(ok, exitUsage), append(args, "--format", format)...)
		}
		name := fmt.Sprintf("out%d.", n)
		run(append(ok, exitUsage), append(args, "-q", "-o", name+"xlsx", "-o", name+"md", "-o", name+"html", "-o", name+"json", "-o", name+"csv")...)
		for _, ending := range []string{"xml", "svg"} { // not every command writes these files
			run(append(ok, exitUsage), append(args, "-q", "-o", name+ending)...)
		}
	}
	for _, h := range hostile {
		if strings.ContainsRune(h, 0) {
			continue
		}
		bad := []int{exitUsage}
		run(bad, "validate", h)
		run(bad, "validate", "::error::\n::error::y\x1b]0;t\x07", h)
		run(bad, "validate", "old", "--device", h)
		run(bad, "devices", h)
		run(bad, "diff", "old", "--bogus"+h, h)
		run(bad, "x"+h)
		run(bad, "track", "check", "--db", "no"+h)
		run(bad, "validate", "old", "-o", h)
		run(bad, "predict", "--batch", h)
		run(append(ok, exitUsage), "predict", "--local", h, "--simd", "16", "--device", "tgl")
	}
	outputs := 0
	err := filepath.WalkDir(".", func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && (strings.Contains(path, "out") || path == "export.csv") {
			outputs++
			if err := checkFile(path); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		return err
	})
	if err != nil || outputs < 60 {
		t.Errorf("%v, %d outputs", err, outputs)
	}
}

// TestExactBytes checks that CSV with hostile names has the same bytes in a
// pipe as in a file.
func TestExactBytes(t *testing.T) {
	t.Chdir(t.TempDir())
	hostileFiles(t)
	printed := func(stdin string, args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		a := &app{stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
		if status := run(t.Context(), a, args); status != exitDone {
			t.Fatalf("%q: exit %d\n%s", args, status, errs.String())
		}
		return out.String()
	}
	printed("", "track", "import", "--db", "a.db", "points.csv")
	exported := printed("", "track", "export", "--db", "a.db")
	printed(exported, "track", "import", "--db", "b.db", "-")
	if again := printed("", "track", "export", "--db", "b.db"); again != exported {
		t.Error(cmp.Diff(exported, again))
	}
	// In a history, invalid UTF-8 and NUL in names are replaced. Everything
	// else in the names is exact.
	for _, name := range hostile {
		name = strings.ReplaceAll(strings.ToValidUTF8(name, "\ufffd"), "\x00", "\ufffd")
		if !strings.Contains(exported, strings.ReplaceAll(name, `"`, `""`)+"x") {
			t.Errorf("the export lacks %q", name)
		}
	}
	for _, args := range [][]string{{"validate", "--device", "max1100", "old/::error::x\x1b[31m.csv"},
		{"devices", "--device-file", "devices.csv"}, {"track", "check", "--db", "a.db"}} {
		pipe := printed("", append(args[:len(args):len(args)], "--format", "csv", "-o", "file.csv")...)
		if file, err := os.ReadFile("file.csv"); err != nil || pipe != string(file) {
			t.Errorf("%q: %v\n%s", args, err, cmp.Diff(string(file), pipe))
		}
	}
}
