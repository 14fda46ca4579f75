package compare

import "occudiff/ingest/unit"

// Total is the occupancy of the whole run: the mean of its kernels, weighted by
// their time. It covers the kernels that were measured and compared, without
// those for which no thread was seen.
type Total struct {
	Kernels       int        `json:"kernels"`
	TimeShare     unit.Ratio `json:"time_percent"`              // share of the kernels' time that is covered
	Predicted     optRatio   `json:"predicted_average_percent"` // absent if a covered kernel has none
	PredictedHigh optRatio   `json:"predicted_average_high_percent"`
	Measured      unit.Ratio `json:"measured_percent"`
}

// total returns the total of the run. all is the time of all its kernels.
func (r *Result) total(all unit.Seconds) *Total {
	var measured, low, high, time unit.Seconds // sums of thread-slot time, as a share of all slots, and of the time
	kernels, predicted := 0, true
	for i := range r.Rows {
		row := &r.Rows[i]
		m, known := row.Measured.Value()
		t := row.Total.Or(0)
		if !known || t <= 0 || !row.Verdict.Compared() || row.rejected() || row.HasCause(CauseNoActivity) {
			continue
		}
		kernels++
		time, measured = time+t, measured+t*unit.Seconds(m)
		if p := row.Predicted; p != nil {
			low, high = low+t*unit.Seconds(p.Average), high+t*unit.Seconds(p.AverageHigh)
		} else {
			predicted = false
		}
	}
	if time <= 0 {
		return nil
	}
	share := func(t unit.Seconds) unit.Ratio { return min(unit.Ratio(t/time), 1) }
	return &Total{Kernels: kernels, TimeShare: min(unit.Ratio(time/all), 1), Measured: share(measured),
		Predicted: unit.Maybe(share(low), predicted), PredictedHigh: unit.Maybe(share(high), predicted)}
}
