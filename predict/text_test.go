package predict

import (
	"reflect"
	"strings"
	"testing"

	"occudiff/ingest/unit"
)

// TestParseLaunch checks the fields, their units, and the errors. Flags, the
// cells of a batch, and the form of the page use this parser.
func TestParseLaunch(t *testing.T) {
	for _, c := range []struct {
		given  string // fields as name=text, separated by semicolons
		want   Launch
		err    string // empty for a good launch
		reason string
	}{
		{"", Launch{}, "", "a missing field is absent"},
		{"global=81920;local=256;simd=16;slm=1024;barriers=0;grf=128",
			Launch{Global: unit.Size(81920), Local: unit.Size(256), SIMD: 16, SLM: 1024, GRF: 128}, "", "plain numbers"},
		{"global= 512 x 512 ;local= ;simd= 8 ;slm= ", Launch{Global: unit.Size(512, 512), SIMD: 8}, "", "blanks"},
		{"global=80K;slm=0.5K", Launch{Global: unit.Size(81920), SLM: 512}, "", "a count and an amount with units"},
		{"global=1K x 1k;local=1M,2", Launch{Global: unit.Size(1024, 1024), Local: unit.Size(1<<20, 2)}, "",
			"each dimension with its own unit"},
		{"global=80KB;local=x", Launch{}, `global: size "80KB": "80KB" is not a whole number; ` +
			"expected one to three numbers as in 512x512", "bytes are not work-items, and the first error is returned"},
		{"local=1e6", Launch{}, `local: size "1e6": "1e6" is not a whole number; ` +
			"expected one to three numbers as in 512x512", "a size has no exponent"},
		{"simd=many", Launch{}, `simd "many": expected a whole number from 1`, "a word"},
		{"simd=0", Launch{}, `simd "0": expected a whole number from 1`, "no sub-group has 0 work-items"},
		{"barriers=-1", Launch{}, `barriers "-1": expected a whole number from 0`, "a negative number"},
		{"grf=0", Launch{}, `grf "0": expected a whole number from 1`, "no mode has 0 registers"},
		{"slm=16Q", Launch{}, `slm "16Q": expected bytes, or an amount with a unit as in 16K`, "an unknown unit"},
	} {
		fields := map[string]string{}
		for _, field := range strings.Split(c.given, ";") {
			name, text, _ := strings.Cut(field, "=")
			fields[name] = text
		}
		got, err := ParseLaunch(func(field string) string { return fields[field] })
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v, want %s", c.reason, err, c.err)
			}
		} else if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v %v, want %+v", c.reason, got, err, c.want)
		}
	}
}
