package launchdoc

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/report"

	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/computeunit"
)

// FromFullOccupancy builds the document that says what a work-group has to be for an Xe-core to be full: the table that Intel's
// guides print for Tiger Lake, for any device.
func FromFullOccupancy(device *arch.Device, f predict.FullOccupancy, version string) *report.Document {
	d := &report.Document{Whole: true, Title: "Full occupancy", Version: version, Headline: []string{deviceLine(device),
		fmt.Sprintf("Work-groups: at most %d threads, sub-group size %d to %d, threads x sub-group size at most %d", f.MaxThreads, f.MinSIMD, f.MaxSIMD, f.MaxGroup)}}
	rows := make([][]report.Cell, 0, len(f.Least))
	for _, l := range f.Least {
		rows = append(rows, []report.Cell{report.IntCell(l.SIMD), report.IntCell(l.Threads), report.IntCell(l.WorkItems), report.IntCell(l.PowerOfTwo)})
	}
	t := inTerminal(report.Fixed("full", "", []report.Column{
		{Key: "simd", Title: "Sub-group size", Kind: report.Integer, In: everywhere},
		{Key: "threads", Title: "Threads at least", Kind: report.Integer, In: everywhere},
		{Key: "work_items", Title: "Work-items at least", Kind: report.Integer, In: everywhere},
		{Key: "power_of_two", Title: "Power of two at least", Kind: report.Integer, In: everywhere},
	}, rows))
	words := make([]string, len(f.Threads))
	for i, n := range f.Threads {
		words[i] = strconv.FormatInt(n, 10)
	}
	d.Closing = "Smaller work-groups cannot fill the thread slots, because an Xe-core holds no more of them. A work-group that stays whole (SLM or barrier) fills them without rest at " +
		strings.Join(words, ", ") + " threads."
	d.Sections = []report.Section{{Key: "full", Title: "Full occupancy", Text: append(d.Headline[:2:2], d.Closing), Tables: []*report.Table{t}}}
	return d
}

// FullJSON is the JSON output of `advise` without a launch, under the schema of `advise`.
type FullJSON struct {
	Schema     string              `json:"schema"`
	Device     *report.DeviceValue `json:"device"`
	MaxThreads int64               `json:"threads_per_work_group_max"`
	MinSIMD    int                 `json:"simd_min"`
	MaxSIMD    int                 `json:"simd_max"`
	MaxGroup   int64               `json:"work_group_max_items"`
	Threads    []int64             `json:"threads_that_fill"`
	Least      []FullLeastJSON     `json:"least"`
}

// FullLeastJSON is the smallest work-group that can fill an Xe-core at a sub-group size.
type FullLeastJSON struct {
	SIMD       int   `json:"simd"`
	Threads    int64 `json:"threads"`
	WorkItems  int64 `json:"work_items"`
	PowerOfTwo int64 `json:"power_of_two"`
}

// FullValue gives the value of the JSON contract.
func FullValue(device *arch.Device, chosenBy string, f predict.FullOccupancy) FullJSON {
	v := FullJSON{Schema: AdviseSchema, Device: deviceValue(device, chosenBy), MaxThreads: f.MaxThreads, MinSIMD: f.MinSIMD, MaxSIMD: f.MaxSIMD,
		MaxGroup: f.MaxGroup, Threads: append([]int64{}, f.Threads...), Least: []FullLeastJSON{}}
	for _, l := range f.Least {
		v.Least = append(v.Least, FullLeastJSON(l))
	}
	return v
}

// FromUnitAdvice builds the document of the settings that reach the highest occupancy of a compute unit.
func FromUnitAdvice(p *computeunit.Platform, a computeunit.Advice, version string) *report.Document {
	d := &report.Document{Whole: true, Title: "Advice for a compute unit", Version: version, Headline: []string{platformLine(p)}}
	t := report.Fixed(TableBest, "", []report.Column{
		{Key: "sub_group_size", Title: "Sub-group size", Brief: "Sub-group", Kind: report.Integer, In: everywhere},
		{Key: "work_group_size", Title: "Work-group size", Brief: "Work-group", Kind: report.Integer, In: everywhere},
		{Key: "work_groups_per_compute_unit", Title: "Work-groups per compute unit", Brief: "Per unit", Kind: report.Integer, In: everywhere},
		{Key: "occupancy_percent", Title: "Occupancy", Unit: "%", Kind: report.Percent, In: everywhere},
		{Key: "lanes_percent", Title: "Lanes", Unit: "%", Kind: report.Percent, In: everywhere},
		{Key: "register_bytes_per_item_max", Group: "Up to", Title: "registers per work-item", Unit: "bytes", Kind: report.Integer, In: everywhere},
		{Key: "slm_bytes_max", Group: "Up to", Title: "SLM per work-group", Unit: "bytes", Kind: report.Integer, In: everywhere},
		{Key: "work_groups_that_fill", Title: "Work-groups that fill the GPU", Kind: report.Integer, In: everywhere},
	}, nil)
	t.Len, t.Main = len(a.Settings), len(a.Settings)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		s := &a.Settings[i]
		return append(dst, report.IntCell(s.SubgroupSize), report.IntCell(s.GroupSize), report.IntCell(s.Groups), report.RatioCell(s.Occupancy), report.RatioCell(s.Lanes),
			report.IntCell(s.MaxRegisterBytes), report.IntCell(s.MaxSLM), report.OptInt(s.Fill))
	}
	switch {
	case len(a.Settings) == 0:
		d.Closing = "No work-group fits with what is fixed."
	case a.Full:
		d.Closing = fmt.Sprintf("%s full occupancy with all lanes in use. Multiples of the work-groups that fill the GPU leave no tail.", report.Counted(len(a.Settings), "setting reaches", "settings reach"))
	default:
		d.Closing = fmt.Sprintf("Nothing reaches full occupancy with what is fixed; the highest is %s.", ratioText(a.Settings[0].Occupancy))
	}
	d.Sections = []report.Section{{Key: SectionAdvice, Title: "Settings of the highest occupancy", Text: []string{d.Headline[0], d.Closing}, Tables: []*report.Table{inTerminal(t)}}}
	return d
}

// AdviseUnitJSON is the JSON output of `advise --model compute-unit`, under the schema of `advise`.
type AdviseUnitJSON struct {
	Schema   string            `json:"schema"`
	Model    string            `json:"model"`
	Platform string            `json:"platform"`
	Full     bool              `json:"full"`
	Settings []UnitSettingJSON `json:"settings"`
}

// UnitSettingJSON is one choice of sizes, and how much a kernel may use without losing its occupancy.
type UnitSettingJSON struct {
	SubGroupSize       int64   `json:"sub_group_size"`
	WorkGroupSize      int64   `json:"work_group_size"`
	WorkGroupsPerUnit  int64   `json:"work_groups_per_compute_unit"`
	OccupancyPercent   float64 `json:"occupancy_percent"`
	LanesPercent       float64 `json:"lanes_percent"`
	MaxRegisterBytes   int64   `json:"register_bytes_per_item_max"`
	MaxSLMBytes        int64   `json:"slm_bytes_max"`
	WorkGroupsThatFill *int64  `json:"work_groups_that_fill"`
}

// UnitAdviceValue gives the value of the JSON contract.
func UnitAdviceValue(p *computeunit.Platform, a computeunit.Advice) AdviseUnitJSON {
	v := AdviseUnitJSON{Schema: AdviseSchema, Model: "compute-unit", Platform: p.Key, Full: a.Full, Settings: []UnitSettingJSON{}}
	for _, s := range a.Settings {
		v.Settings = append(v.Settings, UnitSettingJSON{s.SubgroupSize, s.GroupSize, s.Groups, s.Occupancy.Percent(), s.Lanes.Percent(),
			int64(s.MaxRegisterBytes), int64(s.MaxSLM), report.Pointer(s.Fill)})
	}
	return v
}
