package calculator

// Configurations lists every device with every XVE count that it offers, for
// tests over all of them.
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
