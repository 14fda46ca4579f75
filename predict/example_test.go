package predict_test

import (
	"fmt"
	"log"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

func device(name string) *arch.Device {
	table, err := arch.Builtin()
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range table.Devices() {
		if d.Key == name {
			return &d
		}
	}
	log.Fatalf("no device %s", name)
	return nil
}

func ExamplePredict() {
	p, err := predict.Predict(device("tgl-96"), predict.Launch{Global: unit.Size(22528), Local: unit.Size(512), SIMD: 32})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("peak %.1f%%, then %.1f%%; average %.1f%%; limited by %v\n", p.Peak.Percent(), p.LastWaveOccupancy.Percent(), p.Average.Percent(), p.Limits.Names())
	// Output:
	// peak 100.0%, then 4.8%; average 52.4%; limited by [threads tail]
}

func ExamplePredict_cannotRun() {
	_, err := predict.Predict(device("tgl-96"), predict.Launch{Local: unit.Size(640), SIMD: 8})
	fmt.Println(err)
	// Output: a work-group of 640 work-items is above the 512 that TGL Iris Xe Graphics (96 EU) admits (at most 512 work-items fit)
}

func ExampleAdvise() {
	launch := predict.Launch{Local: unit.Size(320), SIMD: 32, SLM: 26 * 1024}
	a, err := predict.Advise(device("max1100"), launch, predict.VariableSettings{Local: true, SLM: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range a.Next {
		fmt.Println(s.Text)
	}
	fmt.Println(a.Best[0].Words())
	// Output:
	// 2 KB less SLM per work-group: 5 work-groups per Xe-core instead of 4, Xe-core 62.5 -> 78.1%
	// work-group 512, sub-group 32, SLM 26 KB: Xe-core 100.0%
}

func ExampleExplain() {
	steps, err := predict.Explain(device("uhd-p630"), predict.Launch{Global: unit.Size(2048), Local: unit.Size(256), SIMD: 32})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range steps[len(steps)-5:] {
		fmt.Println(s.Label, "=", s.Formula, "=", s.Value)
	}
	// Output:
	// waves = 8 x 8 / 168 threads = 0.38
	// GPU peak occupancy = min(64, 168) / 168 = 38.1%
	// occupancy of the last wave = 64 / 168 = 38.1%
	// GPU average occupancy = 64 / (1 wave x 168) = 38.1%
	// limited by = less than one wave of work-groups = grid
}
