package predict

// LaunchError says why a launch cannot run on a device, and what would fit.
type LaunchError struct {
	Code string // stable: group-too-large, simd-unsupported, slm-too-large, too-many-threads, no-local, no-simd, ...
	Text string // what is wrong, with both figures
	Hint string // what would fit
}

// Error implements error.
func (e *LaunchError) Error() string {
	if e.Hint == "" {
		return e.Text
	}
	return e.Text + " (" + e.Hint + ")"
}
