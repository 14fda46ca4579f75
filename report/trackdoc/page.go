package trackdoc

import (
	"slices"
	"strings"

	"occudiff/report"
)

// page makes of a document what a check, a report and a replay have in common: its first and last lines again for
// workbooks and pages, the sections, how series are judged and what the answer was made from.
func (m metric) page(d *report.Document, where string, prov report.Provenance,
	sections ...report.Section) *report.Document {
	d.Version = prov.Version
	summary := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary",
		Text: append(slices.Clone(d.Headline), d.Closing)}
	d.Sections = slices.Concat([]report.Section{summary}, sections, m.origin(where, prov))
	return d
}

// attentionSection holds what somebody should look at.
func attentionSection(title string, items []report.Item) report.Section {
	s := report.Section{Key: report.SectionAttention, Title: title, Sheet: "Summary", ItemsIn: report.Everywhere,
		Items: items}
	if len(items) == 0 {
		s.Text = []string{"Nothing."}
	}
	return s
}

// tableSection holds a table, on a sheet of its own.
func tableSection(title string, t *report.Table) report.Section {
	return report.Section{Key: t.Key, Title: title, Sheet: title, In: t.In, Tables: []*report.Table{t}}
}

// origin says what an answer about a history was made from, and how it judges.
func (m metric) origin(where string, prov report.Provenance) []report.Section {
	var rows report.Pairs
	rows.Text("Made by", strings.TrimSpace("occudiff "+prov.Version))
	rows.Text("Command line", report.CommandLine(prov.CommandLine))
	rows.Text("Label", prov.Label)
	rows.Text("History", where)
	in := report.Files
	rule := report.Section{Key: report.SectionRule, Title: "How this is judged", Sheet: "Sources", In: in,
		Text: []string{
			m.rule() + " Points are percentage points, never per cent of per cent. With fewer earlier runs a series " +
				"is learning: one run is no baseline.",
			"A series is one kernel of one program on one device. Another driver or launch shape does not begin " +
				"another one: its runs are judged by those before, with times for as many work-items. Another " +
				"device does, because nobody can tell its effect from that of the code. What got worse is no " +
				"regression where launches take less time than before by more than a tenth. Runs without the value " +
				"are left out, not zero. So are unmeasurable runs, but for the newest, which is shown and not " +
				"judged; times are always judged. A check looks back over 400 runs: what is open for longer is " +
				"taken for the level.",
			"Runs are in the order of their dates. Where one is dated in the future, or the run that was added last " +
				"is not dated last, a series is in the order in which its runs were added: what was added last is " +
				"judged, whatever its date.",
		}}
	return []report.Section{rule, {Key: report.SectionProvenance, Title: "Provenance", Sheet: "Sources", In: in,
		Tables: []*report.Table{report.NameValue("provenance", "", rows)}}}
}
