package predictdoc

import (
	"strings"
	"testing"

	"occudiff/internal/testenv"
	"occudiff/predict"
	"occudiff/report"
)

// printed returns the texts of a row by path, or by key for columns without a
// path.
func printed[R any](row *R, cols []report.Col[R]) string {
	var parts []string
	for _, c := range cols {
		name := c.Path
		if name == "" {
			name = c.Key
		}
		if c.Kind != report.Object {
			cell := c.Of(row)
			text := fact(cell)
			if cell.Kind == report.Bool {
				text = cell.String()
			}
			parts = append(parts, name+"="+text)
		}
	}
	return strings.Join(parts, " ")
}

// filled returns the texts of a row whose fields all have different values.
func filled[R any](cols []report.Col[R], start ...int64) string {
	row := new(R)
	testenv.Fill(row, append(start, 0)[0])
	return printed(row, cols)
}

// TestColumns checks that each column shows the value of its own field.
func TestColumns(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"device", filled(deviceColumns),
			`key=key name=name architecture=architecture xe_cores=11 xve_per_xe_core=12 threads_per_xve=17 thread_slots=2,244 chosen_by=namedetail`},
		{"launch", filled(launchColumns),
			`global=2x2 local=3x3 simd=4 slm_bytes=5 barriers=6 registers_per_thread=7 policy=free barrier_slots=9 work_group_slots=10`},
		{"prediction", filled(predictionColumns),
			`policy=free threads_per_work_group=4 by_threads=7 by_slm=8 by_slots=9 by_barriers=10 work_groups_per_xe_core=6 work_groups=5 xe_core_percent=1,400% xe_core_of_grf_mode_percent=2,000% peak_percent=1,500% average_percent=1,600% average_high_percent=1,700% waves=18 tail_percent=1,900% limits=threads work_group_size=3 slm_bytes_allocated=11 xe_core_limits=threads idle_lanes_per_work_group=21 partial_work_groups=yes`},
		{"kernel prediction", filled(KernelPrediction),
			`policy=free threads_per_work_group=4 work_groups=5 work_groups_per_xe_core=6 limits=threads xe_core_percent=1,400% peak_percent=1,500% average_percent=1,600% average_high_percent=1,700% waves=18 tail_percent=1,900%`},
		{"step", filled(stepColumns),
			`step=label calculation=formula value=value binds=yes binds=limits`},
		{"driver", filled(driverColumns),
			`model_work_groups=7 work_groups=2 by_threads=3 by_slm=4 by_barriers=5 differs=yes reasons=reasons`},
		{"change", filled(changeColumns),
			`setting=setting text=text from=3 to=4`},
		{"next step", filled(nextColumns),
			`limits=limits before_percent=1,000% after_percent=1,100% alone=yes change.setting=setting change.text=text change.from=6 change.to=7 of=of text=text`},
		{"phase", filled(phaseColumns),
			`start=2 end=3 threads=4 occupancy_percent=500%`},
		{"calculator", filled(calculatedColumns),
			`threads_per_work_group=6 by_threads=7 by_slm=8 by_slots=9 work_groups=10 work_groups_per_xe_core=11 limits=limitedby xe_core_percent=14% peak_percent=17% average_percent=18% average_exact_percent=19% waves=20 full_waves=21 tail_percent=22%`},
		{"compute unit", filled(unitSettingColumns),
			`sub_group_size=2 work_group_size=3 work_groups_per_compute_unit=4 occupancy_percent=500% lanes_percent=600% register_bytes_per_item_max=7 slm_bytes_max=8 work_groups_that_fill=9`},
		{"term", filled(termColumns),
			`name=name kind=kind means=meaning detected_by=detectedby action=action from=source found_with=with`},
		{"device table", filled(tableColumns, 5_000),
			`key=key name=name aliases=aliases architecture=architecture codename=codename stacks=5,008 xe_cores=5,009 xve_per_xe_core=5,010 xves=25,095,090 threads_per_xve=5,015 thread_slots=125,851,876,350 =25,125,150 =631,524,715,524,300; of an Xe-core 126,078,002,700, of an XVE 25,165,270; at sub-group size 5018 grf_modes=5,013 registers: 5,014 threads per XVE simd_widths=5018 slm_bytes_per_xe_core=5,019 slm_kb_by_source=source 5,023 slm_bytes_per_work_group_max=5,024 slm_steps_bytes=5026 work_group_max_items=5,027 slm_kb=4 work_group_slots_per_xe_core=5,035 barrier_slots_per_xe_core=source 5,039 dispatch_ports=source 5,043 =123,123,118 register_bytes=5,016 clock_mhz=0.005 clock_source=source =at most 5050 GB/s, with the fastest memory that it supports (fastest) memory_gb_per_second=source 5,050 fastest (at most, with the fastest memory that it supports) assumed l3_gb_per_second=source 5,056 fastest (at most, with the fastest memory that it supports) assumed pci_ids=pciids confidence=confidence source=source notes=notes full_occupancy=5,018 Full occupancy at sub-group size 4,991 Threads, at least 1 Threads, at most 33,554,432 Work-group, at least 5,027 Work-group, at most`},
		{"setting", filled(givenColumns),
			`name=name value=value from=from`},
		{"check", filled(checkColumns),
			`name=name ok=yes state=ok found=found impact=impact install=install`},
		{"mode", filled(modeColumns),
			`file=file name=name demangled=name device=key device.key=key device.name=name device.architecture=architecture device.xe_cores=26 device.xve_per_xe_core=27 device.threads_per_xve=32 device.thread_slots=22,464 device.chosen_by= simd=4 registers_per_thread=5 slm_bytes=6 slm_is_lower_bound=yes barriers=8 spill_bytes=9 private_bytes=10 scratch_bytes=11 local=13x13 used_local=85x85 used_local=13x13 predicted.policy=free predicted.threads_per_work_group=98 predicted.work_groups=99 predicted.work_groups_per_xe_core=100 predicted.limits=threads predicted.xe_core_percent=10,800% predicted.peak_percent=10,900% predicted.average_percent=11,000% predicted.average_high_percent=11,100% predicted.waves=112 predicted.tail_percent=11,300% best_local=117x117 best_local_largest=118x118 best_local=117x117 to 118x118, 119 sizes spilled_registers=12 message=message threads_per_xve=125 largest_work_group=127 compiled=yes ask=Level Zero -ze-exp-register-file-size 124 spill_words_per_lane=0`},
		{"register mode", filled(grfColumns),
			`registers_per_thread=2 threads_per_xve=3`},
		{"source", filled(sourcedColumns),
			`source=source count=3`},
		{"bandwidth", filled(bandwidthColumns),
			`source=source gb_per_second=3 fastest_memory=fastest assumed=yes`},
		{"no launch", printed(&predict.Launch{}, launchColumns),
			`global= local= simd= slm_bytes=0 barriers=0 registers_per_thread= policy=auto barrier_slots= work_group_slots=`},
		{"no prediction", printed(&predict.Prediction{}, predictionColumns),
			`policy=auto threads_per_work_group=0 by_threads=0 by_slm=0 by_slots=0 by_barriers=0 work_groups_per_xe_core=0 work_groups= xe_core_percent=0% xe_core_of_grf_mode_percent=0% peak_percent= average_percent= average_high_percent= waves= tail_percent= limits= work_group_size=0 slm_bytes_allocated=0 xe_core_limits= idle_lanes_per_work_group=0 partial_work_groups=no`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, c.got, c.want)
		}
	}
}
