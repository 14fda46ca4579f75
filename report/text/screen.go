package text

import "occudiff/report"

// screen writes what an answer begins with.
func (p *printer) screen(s *report.Screen) {
	p.wrap("", s.Line, report.Plain)
	p.wrap("", s.Means, report.Plain)
	for _, note := range s.Notes {
		p.wrap("", note, report.Unsure)
	}
	switch {
	case s.Rows == nil:
	case s.Rows.Form == report.Facts:
		p.facts(s)
		return
	default:
		p.line("")
		for _, line := range layOut(s.Rows, s.Rows.Len, p.opt.Width).lines(p.paint) {
			p.line(line)
		}
		p.wrap("", s.More, report.Plain)
	}
	for _, text := range s.Do {
		p.line("")
		p.wrap("", text, report.Plain)
	}
	if len(s.Sure) > 0 {
		p.line("")
		p.wrap("", s.Ask, report.Plain)
		p.checks(s.Sure)
	}
	if s.Hint != "" {
		p.line("")
		p.wrap("", s.Hint, report.Muted)
	}
}

// checks writes commands behind the numbers of the rows that they are for.
func (p *printer) checks(list []report.Check) {
	widest := 0
	for _, c := range list {
		widest = max(widest, len(c.Rows))
	}
	for _, c := range list {
		lead := ""
		if widest > 0 {
			lead = pad(c.Rows, widest, false) + gap
		}
		p.wrap(lead, p.fitting(lead, c), report.Plain)
	}
}

// fitting is a command with what comes of it where both fit into a line, else the command alone.
func (p *printer) fitting(lead string, c report.Check) string {
	if text := c.Text(); report.Width(lead+text) <= p.textWidth() {
		return text
	}
	return c.Command
}

// facts writes the one row of a screen, a line for each column, and what to make sure.
func (p *printer) facts(s *report.Screen) {
	cells := s.Rows.Row(0, nil)
	const sure = "Make sure:"
	indent := len(sure) + len(gap)
	for i, c := range s.Rows.Columns {
		if c.In&report.Terminal != 0 && cells[i].Kind != report.Absent {
			indent = max(indent, len(c.Title)+1+len(gap))
		}
	}
	for i, c := range s.Rows.Columns {
		if c.In&report.Terminal != 0 && cells[i].Kind != report.Absent {
			p.wrap(pad(c.Title+":", indent, false), c.Print(cells[i]), cells[i].Status)
		}
	}
	for i, c := range s.Sure {
		lead := ""
		if i == 0 {
			lead = sure
		}
		lead = pad(lead, indent, false)
		p.wrap(lead, p.fitting(lead, c), report.Plain)
	}
}
