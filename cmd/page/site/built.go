//go:build page

package site

import _ "embed"

// Both are made by .ci/release before it builds the program.
var (
	//go:embed page.wasm.zst
	builtProgram []byte
	//go:embed wasm_exec.js
	builtGlue string
)

// Built is the program that this binary holds, if any.
// The build tag keeps a checkout buildable, which does not have the two files.
func Built() (Program, bool) { return Program{builtProgram, builtGlue}, true }
