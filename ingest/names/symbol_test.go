package names

import (
	"strings"
	"testing"
)

func TestDisplay(t *testing.T) {
	for _, c := range []struct{ reason, name, want string }{
		{"a decoded name is unchanged", "VectorAdd<(int)12>(int, int*)", "VectorAdd<(int)12>(int, int*)"},
		{"a C++ function", "_Z4Fan1PfS_i", "Fan1(float*, float*, int)"},
		{"a SYCL kernel", "_ZTSZ4mainEUlN4sycl3_V12idILi1EEEE_", "typeinfo name for main::{lambda(sycl::_V1::id<1>)#1}"},
		{"no symbol", "_Znonsense", "_Znonsense"},
		{"a Python function", "dppyPy_dppy_py_devfn__5F__5F_main_5F__5F__2E_black_5F_scholes_24_1_2E_int64_2E_USM_3A_ndarray_28_float64_2C__20_1d_2C__20_C_29_",
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
		t.Errorf("a name of %d bytes is decoded to %d bytes", len(bomb), n)
	}
}

func TestStable(t *testing.T) {
	for _, c := range []struct {
		reason, a, b  string
		same, ordinal bool
	}{
		{"a lambda was added before the kernel", "typeinfo name for main::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) const::{lambda(sycl::_V1::id<1>)#1}",
			"typeinfo name for main::{lambda(sycl::_V1::handler&)#12}::operator()(sycl::_V1::handler&) const::{lambda(sycl::_V1::id<1>)#1}", true, true},
		{"only one of two profilers decodes the symbol", "_ZTSZ4mainEUlN4sycl3_V12idILi1EEEE_", "typeinfo name for main::{lambda(sycl::_V1::id<1>)#2}", true, true},
		{"lambdas in LLVM's form", "main::'lambda'(int)", "main::'lambda0'(int)", true, true},
		{"an unnamed type", "k<{unnamed type#1}>", "k<{unnamed type#2}>", true, true},
		{"lambdas with other parameters are other kernels", "main::{lambda(sycl::id<1>)#1}", "main::{lambda(sycl::id<2>)#1}", false, true},
		{"a target region in another checkout, two lines below", "__omp_offloading_811_29cbc383_main_l35", "__omp_offloading_fd02_1a2b_main_l37", true, true},
		{"target regions of two functions", "__omp_offloading_811_29cbc383_f_l35", "__omp_offloading_811_29cbc383_g_l35", false, true},
		{"a hash", "triton_poi_fused_add_3f2a9c01", "triton_poi_fused_add_77ee0b12", true, false},
		{"a hash in Rust's form", "k::h0123456789abcdef", "k::hfedcba9876543210", true, false},
		{"sizes and dates are not hashes", "gemm_20260301_16777216", "gemm_20260302_16777216", false, false},
		{"words are not hashes", "deadbeef_decade", "defaced_decade", false, false},
		{"a version is not a hash", "reduce_v1", "reduce_v2", false, false},
	} {
		a, ordinal := Stable(c.a)
		if b, _ := Stable(c.b); (a == b) != c.same || ordinal != c.ordinal {
			t.Errorf("%s: %q, %v and %q; want the same: %v, ordinal: %v", c.reason, a, ordinal, b, c.same, c.ordinal)
		}
	}
	if got, _ := Stable("_Z4Fan1PfS_i"); got != "_Z4Fan1PfS_i" {
		t.Errorf("a symbol without changing parts became %q", got)
	}
}

func TestPattern(t *testing.T) {
	for _, c := range [][2]string{
		{"axpy_07", "axpy_*"},
		{"gemm<float, 2>_17(int*)", "gemm<*>_*(int*)"},
		{"a<b<1>, c>::f<2>", "a<*>::f<*>"},
		{"_Z4axpyILi4EEvPf", "void axpy<*>(float*)"},
		{"operator<(3)", "operator<(3)"},
		{"plain", "plain"},
		{"", ""},
	} {
		if got := pattern(c[0]); got != c[1] {
			t.Errorf("%q: pattern %q, want %q", c[0], got, c[1])
		}
	}
}
