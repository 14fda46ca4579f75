package rundoc

import (
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/report"
)

// Shape prints the launch shape of a kernel and its adapter: "2048x2048 in 1024x1, SIMD32, GPU 1"; empty when nothing
// is known.
func Shape(k *ingest.Kernel) string {
	text := k.Global.String()
	if l := k.Local.String(); l != "" {
		if text != "" {
			text += " in "
		}
		text += l
	}
	if n, ok := k.SIMD.Value(); ok {
		text += ", SIMD" + strconv.Itoa(n)
	}
	if k.Device != "" {
		text += ", " + report.OneLine(k.Device)
	}
	return strings.TrimPrefix(text, ", ")
}
