package report

// ValidateRuns is the value of `validate` over several runs, schema occudiff/validate-runs/1.
type ValidateRuns struct {
	Schema string        `json:"schema"`
	Runs   []ValidateRun `json:"runs"`
}

// ValidateRun is one of several runs.
type ValidateRun struct {
	Name string    `json:"name"` // of its folder
	Run  *Validate `json:"run"`
}
