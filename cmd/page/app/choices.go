package app

import (
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
)

// Offer is a device of the form with what it admits. All of them stand in the page's HTML, so that the form is whole
// before the program runs.
type Offer struct {
	Key          string `json:"key"`
	Name         string `json:"name"`
	Architecture string `json:"architecture"`
	SIMD         []int  `json:"simd"`
	Registers    []int  `json:"registers"`
	SLM          int64  `json:"slm"`        // per work-group
	MostItems    int64  `json:"items"`      // per work-group
	Calculator   bool   `json:"calculator"` // whether Intel's calculator knows it
}

// Offers lists what the form offers, in the order of the built-in table.
func Offers() ([]Offer, error) {
	devices, err := arch.Builtin()
	if err != nil {
		return nil, err
	}
	calculators, err := calculator.Builtin()
	if err != nil {
		return nil, err
	}
	var list []Offer
	for _, d := range devices.Devices() {
		of := Offer{Key: d.Key, Name: d.Name, Architecture: d.Architecture, SIMD: d.SIMDWidths,
			SLM: int64(d.SLMPerGroupMax), MostItems: int64(d.MaxGroupSize)}
		for _, m := range d.GRFModes {
			if m.ThreadsPerXVE > 0 {
				of.Registers = append(of.Registers, m.Registers)
			}
		}
		_, of.Calculator = calculatorOf(calculators, &d)
		list = append(list, of)
	}
	return list, nil
}

// calculatorOf finds a device in the list of Intel's calculator by its PCI ids, with its XVE count where the calculator
// offers that.
func calculatorOf(t calculator.Table, d *arch.Device) (calculator.Device, bool) {
	for _, id := range d.PCIIDs {
		if of, err := t.Find("pci:"+id, d.XVEs()); err == nil {
			return of, true
		}
		if of, err := t.Find("pci:"+id, 0); err == nil {
			return of, true
		}
	}
	return calculator.Device{}, false
}
