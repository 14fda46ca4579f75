package report

// Answer is what a command has to say, in every form that it can be asked for. A form that is nil cannot be asked for.
type Answer struct {
	Doc     *Document         // for people: terminal, Markdown, HTML, workbook; Document gives it
	Make    func() *Document  // makes Doc when it is asked for, where that takes long
	Version string            // of occudiff, for a document that does not have it
	Value   any               // of the JSON contract
	Table   *Table            // for CSV
	Tests   func() *TestSuite // for JUnit; made when it is asked for
	Chart   *Plot             // for SVG
	Trace   func() any        // events over time, for Perfetto; it gives nil where nobody knows when a launch ran
	Card    func() *Card      // for agents and comments of CI
}

// Document gives the form for people.
func (a *Answer) Document() *Document {
	if a.Doc == nil && a.Make != nil {
		a.Doc = a.Make()
	}
	if a.Doc != nil && a.Doc.Version == "" {
		a.Doc.Version = a.Version
	}
	return a.Doc
}
