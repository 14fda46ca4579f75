package symbol

import (
	"strings"
	"testing"
)

func TestDisplay(t *testing.T) {
	for _, c := range []struct{ reason, name, want string }{
		{"as a profiler prints most", "VectorAdd<(int)12>(int, int*)", "VectorAdd<(int)12>(int, int*)"},
		{"a function of C++", "_Z4Fan1PfS_i", "Fan1(float*, float*, int)"},
		{"a kernel of SYCL", "_ZTSZ4mainEUlN4sycl3_V12idILi1EEEE_", "typeinfo name for main::{lambda(sycl::_V1::id<1>)#1}"},
		{"no symbol", "_Znonsense", "_Znonsense"},
		{"a function of Python", "dppyPy_dppy_py_devfn__5F__5F_main_5F__5F__2E_black_5F_scholes_24_1_2E_int64_2E_USM_3A_ndarray_28_float64_2C__20_1d_2C__20_C_29_",
			"__main__.black_scholes$1(int64, USM:ndarray(float64, 1d, C))"},
		{"without types", "dppyPy_dppy_py_devfn_scale_24_1", "scale$1"},
		{"without a number", "dppyPy_dppy_py_devfn_a_5G_b_00_", "a_5G_b_00_"},
		{"empty", "", ""},
	} {
		if got := Display(c.name); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
	bomb := "_Z1fP" + strings.Repeat("FvS0_S0_E", 1)
	for range 30 {
		bomb = strings.Replace(bomb, "P", "PF1AS_S_E", 1)
	}
	if n := len(Display(bomb)); n > 1<<mostLength+len(bomb) {
		t.Errorf("a name of %d bytes is decoded to %d", len(bomb), n)
	}
}
