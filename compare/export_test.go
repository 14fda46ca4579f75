package compare

// IfBelow returns the breakdown that a row would have if it were below its
// prediction.
func (r *Result) IfBelow(row Row) *SlotBreakdown {
	row.Verdict, row.Cause = Below, nil
	return r.breakdown(&row)
}
