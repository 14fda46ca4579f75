package report

// SectionWhatIf is the sheet that predicts launches by itself.
const SectionWhatIf = "what-if"

// WhatIf is what a sheet needs to predict launches by itself, as package predict does: the figures of the devices, the
// launches of the run, the constants of the model and of the comparison, and what it shows before anybody changes it.
type WhatIf struct {
	Text     []string
	Devices  *Table // the first column is what a person picks
	Launches *Table // the first column is a number, the second what a person picks: that number, a full stop, a name
	Device   string // picked at first, empty when no device is known
	Launch   string // picked at first
	// The choices of lists: sub-group sizes and registers of any of the devices.
	SubGroups, Registers []int
	TailPoints           float64
	Tolerance            float64 // points
	RunDevice            string  // what was measured ran on it, as in Device
	Values               map[string]Cell
}
