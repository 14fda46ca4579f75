package rundoc

import (
	"strconv"

	"occudiff/ingest"
)

// Shape prints the launch shape of a kernel: "2048x2048 in 1024x1, SIMD32"; empty when nothing is known.
func Shape(k *ingest.Kernel) string {
	text := k.Global.String()
	if l := k.Local.String(); l != "" {
		if text != "" {
			text += " in "
		}
		text += l
	}
	if n, ok := k.SIMD.Value(); ok {
		if text != "" {
			text += ", "
		}
		text += "SIMD" + strconv.Itoa(n)
	}
	return text
}
