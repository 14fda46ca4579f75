package calculator

// Configurations returns every device with every XVE count that the calculator
// offers for it.
func (t Table) Configurations() []Device {
	var all []Device
	for _, d := range t {
		for _, n := range d.XVEChoices {
			d.XVEs = n
			all = append(all, d)
		}
	}
	return all
}
