package vtuneresult

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
)

// A synthetic is a result with the documented layout and known truth: the
// launches, and the counters that they cause.
type synthetic struct {
	interval uint64 // in ticks
	hertz    uint64
	first    uint64 // the first report's tick
	reports  int
	raw      uint64 // the counters' initial value, to let them wrap
	launches []made1
	set      string
	noFrames bool // write records outside frames
	device   uint32
}

// A made1 is a launch that uses a constant share of thread slots.
type made1 struct {
	kernel        string // "" for a copy
	start, end    uint64
	occupancy     float64
	groups, local uint32
	simd, slm     uint32
	queue         uint64
	event         uint64
}

const (
	synEUs     = 32
	synThreads = 7
	synClocks  = 64 // GPU core clocks per tick
)

func u16b(v int) []byte    { return binary.LittleEndian.AppendUint16(nil, uint16(v)) }
func u32b(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func u64b(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
func join(parts ...[]byte) []byte {
	return slices.Concat(parts...)
}

// system returns a system record, pairOf a record with two clocks, and user a
// user record with a time.
func system(typ int, data []byte) []byte {
	return join(u32b(leafOne|flagSystem), u16b(len(data)+4), u16b(typ), data)
}

func pairOf(tick, real uint64) []byte {
	return join(u32b(leafOne|flagRepeated|1<<fieldReal), u32b(1<<fieldReal), []byte{2}, u64b(tick), u64b(real))
}

func user(typ int, time uint64, data []byte) []byte {
	return join(u32b(leafOne|flagUser|1<<fieldTime|7), u32b(0x40), u32b(0), u32b(0), u64b(time), u16b(len(data)+4),
		u16b(typ), data)
}

func call(id uint32, time uint64, body ...[]byte) []byte {
	return user(typeCall, time, join(u64b(time), u32b(0), u32b(id), join(body...)))
}

func event(id uint32, time uint64, body ...[]byte) []byte {
	return user(typeEvent, time, join(u32b(id), join(body...)))
}

// file returns a trace file with records, several per frame.
func (s *synthetic) file(records ...[]byte) []byte {
	out := bytes.Clone(magic)
	if s.noFrames {
		return append(out, join(records...)...)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err)
	}
	for part := range slices.Chunk(records, 2000) {
		frame := enc.EncodeAll(join(part...), nil)
		out = append(out, join(u32b(leafOne|flagLarge), u32b(uint32(len(frame)+6)), u16b(typeFrame), frame)...)
	}
	return out
}

func clockRecord(hertz uint64) []byte {
	return system(typeClock, join(u32b(1), u64b(hertz), u64b(hertz)))
}

// at returns the counters at a tick: slot clocks, active clocks, stalled
// clocks, and threads.
func (s *synthetic) at(tick uint64) (slots, active, stalled, threads float64) {
	for _, l := range s.launches {
		if l.kernel == "" || tick <= l.start {
			continue
		}
		clocks := float64(min(tick, l.end)-l.start) * synClocks * synEUs
		slots += clocks * l.occupancy
		active += clocks * l.occupancy * 0.75
		stalled += clocks * l.occupancy * 0.25
		threads += float64(l.groups) * float64(l.local/l.simd)
	}
	return slots, active, stalled, threads
}

// samples returns the .vtss file.
func (s *synthetic) samples() []byte {
	records := [][]byte{system(44, make([]byte, 30)), clockRecord(s.hertz), pairOf(s.first, 16788942731805630)}
	for i := range s.reports {
		records = append(records, s.report(i))
	}
	return s.file(records...)
}

// report returns a report's record.
func (s *synthetic) report(i int) []byte {
	tick := s.first + uint64(i)*s.interval
	report := make([]byte, reportSize)
	put40 := func(at int, v float64) {
		n := s.raw + uint64(math.Round(v))
		binary.LittleEndian.PutUint32(report[at:], uint32(n))
		report[200+at/4] = byte(n >> 32)
	}
	slots, active, stalled, threads := s.at(tick)
	binary.LittleEndian.PutUint32(report[reportTime:], uint32(tick)-uint32(i%2))
	binary.LittleEndian.PutUint32(report[12:], uint32(s.raw)+uint32((tick-s.first)*synClocks))
	put40(16, slots*synThreads/8)
	put40(20, active)
	put40(24, stalled)
	binary.LittleEndian.PutUint32(report[28:], uint32(s.raw)+uint32(threads))
	// 64-byte lines: one is read for each 1024 active clocks on an XVE, and one
	// is written for each 4096. L3 moves one for each 128.
	binary.LittleEndian.PutUint32(report[32:], uint32(s.raw)+uint32(active/1024))
	binary.LittleEndian.PutUint32(report[36:], uint32(s.raw)+uint32(active/4096))
	binary.LittleEndian.PutUint32(report[84:], uint32(s.raw)+uint32(active/128))
	return user(typeCall, tick, join(u64b(tick), u32b(0), u32b(idReport), []byte{1}, u32b(reportSize), report))
}

// cfg returns the metric set. It has no occupancy if the set's name requests
// this.
func (s *synthetic) cfg() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<bag xmlns:u="a" xmlns:null="b" u:EuCoresTotalCount="%d" u:EuThreadsCount="%d" u:PciDeviceId="%d" `+
		`u:GpuMaxFrequencyMHz="1000" u:GpuTimestampFrequency="%d"><metricSetParams SymbolName="%s"/>`, synEUs, synThreads, s.device, s.hertz, s.set)
	read40 := func(at int) string {
		return fmt.Sprintf(`<EquationElement u:EQUATION_ELEM_RD_40BIT_CNTR_ByteOffset="%d" `+
			`u:EQUATION_ELEM_RD_40BIT_CNTR_ByteOffsetExt="%d"/>`, at, 200+at/4)
	}
	counter := func(name, units, read, norm string, bits int) {
		fmt.Fprintf(&b, `<counter SymbolName="%s" MetricResultUnits="%s"><IoReadEquation>%s</IoReadEquation>`, name, units, read)
		if norm != "" {
			fmt.Fprintf(&b, `<NormEquation><EquationElement null:EQUATION_ELEM_%s=""/></NormEquation>`, norm)
		}
		fmt.Fprintf(&b, `<DeltaFunction u:DELTA_N_BITS="%d"/></counter>`, bits)
	}
	read32 := func(at int) string { return fmt.Sprintf(`<EquationElement u:EQUATION_ELEM_RD_UINT32="%d"/>`, at) }
	oper := func(op string) string { return `<EquationElement EQUATION_ELEM_OPERATION="EQUATION_OPER_` + op + `"/>` }
	counter("GpuCoreClocks", "cycles", read32(12), "", 32)
	if s.set != "Bare" {
		counter("EuThreadOccupancy", "percent", `<EquationElement u:EQUATION_ELEM_IMM_UINT64="8"/>`+read40(16)+oper("UMUL")+
			`<EquationElement EQUATION_ELEM_GLOBAL_SYMBOL="EuThreadsCount"/>`+oper("UDIV"), "STD_NORM_EU_AGGR_DURATION", 40)
	}
	counter("EuActive", "percent", read40(20), "STD_NORM_EU_AGGR_DURATION", 40)
	counter("EuStall", "percent", read40(24), "STD_NORM_EU_AGGR_DURATION", 40)
	counter("CsThreads", "threads", read32(28), "", 32)
	number := func(n int) string { return fmt.Sprintf(`<EquationElement u:EQUATION_ELEM_IMM_UINT64="%d"/>`, n) }
	moved := func(name string, at, clockBytes int) {
		fmt.Fprintf(&b, `<counter SymbolName="%s" MetricResultUnits="bytes"><IoReadEquation>%s</IoReadEquation>`+
			`<NormEquation>%s<EquationElement null:EQUATION_ELEM_SELF_COUNTER_VALUE=""/>%s</NormEquation>`+
			`<MaxValueEquation><EquationElement EQUATION_ELEM_LOCAL_COUNTER_SYMBOL="GpuCoreClocks"/>%s%s`+
			`</MaxValueEquation><DeltaFunction u:DELTA_N_BITS="32"/></counter>`, name, read32(at), number(64),
			oper("UMUL"), number(clockBytes), oper("UMUL"))
	}
	moved("GtiReadThroughput", 32, 64)
	moved("GtiWriteThroughput", 36, 64)
	moved("L3ShaderThroughput", 84, 128)
	counter("Strange", "percent", `<EquationElement u:EQUATION_ELEM_RD_BITFIELD="3"/>`, "", 32)
	b.WriteString("</bag>")
	return b.Bytes()
}

// trace returns the .trace and .aux files that the program's process recorded,
// on a 1 GHz processor clock that started with the samples.
func (s *synthetic) trace() (trace, aux []byte) {
	cpu := func(tick uint64) uint64 { return 1e12 + (tick-s.first)*1e9/s.hertz }
	records := [][]byte{clockRecord(1e9), pairOf(1e12, 16788942731805630),
		event(idDevice, 1e12, []byte{3}, make([]byte, 12), u32b(0x8086), u32b(s.device), make([]byte, 68), u32b(7), u32b(8),
			u32b(16), u32b(2), u32b(1), u16b(8), []byte("Some GPU"))}
	var done [][]byte
	text := func(s string) []byte { return join(u16b(len(s)+1), []byte(s), []byte{0}) }
	for i, l := range s.launches {
		order, when := uint64(i+1), cpu(l.start)
		if l.kernel == "" {
			records = append(records, call(idCopy, when, []byte{1}, u64b(l.queue), make([]byte, 16), u64b(4096), u64b(l.event),
				make([]byte, 8), u64b(order)))
		} else {
			handle := uint64(l.simd)<<32 | uint64(len(l.kernel))
			records = append(records,
				call(idKernel, when, []byte{6}, u64b(1), u64b(handle), make([]byte, 8), text(l.kernel), text("x.clbin"), u64b(9),
					u32b(l.simd), u32b(l.slm)),
				call(idGroup, when, []byte{1}, u64b(handle), u32b(l.local), u32b(1), u32b(1), u32b(0)),
				call(idLaunch, when, []byte{2}, u64b(l.queue), u64b(handle), u32b(l.groups), u32b(1), u32b(1), u32b(0),
					u64b(l.event), u32b(1), u64b(77), u64b(order)))
		}
		done = append(done, event(idFinished, cpu(max(l.start, l.end)), []byte{2}, u64b(l.event), u64b(l.start&math.MaxUint32),
			u64b(l.end&math.MaxUint32), make([]byte, 24), u64b((max(l.start, l.end)+100)&(1<<36-1))))
	}
	return s.file(records...), s.file(done...)
}

const vtuneFile = `<?xml version="1.0"?><root><rdmgr><timestamp>1678894272</timestamp><hostname>node7</hostname>` +
	`<product type="string">Intel VTune Profiler 2023.0.0</product><variables><at>gh</at></variables></rdmgr></root>`

// files returns the result's files in a folder with the given name.
func (s *synthetic) files(name string) fstest.MapFS {
	trace, aux := s.trace()
	list := fstest.MapFS{}
	add := func(path string, data []byte) { list[name+"/"+path] = &fstest.MapFile{Data: data, Mode: 0o600} }
	add("r.vtune", []byte(vtuneFile))
	add("data.0/gen_metrics0_0_2_0_0.0.cfg", s.cfg())
	add("data.0/gen_metrics0_0_2_0_0.0.vtss", s.samples())
	add("data.0/1-2.0.trace", trace)
	add("data.0/1-2.0-2.0.th.aux", aux)
	add("config/runsa.options", []byte("-r\n/x\n--gpu-sampling-interval=0:0:2.0|1\n--\n/bin/app\n-n 3\n"))
	return list
}

// mixed returns a run with a long kernel, a copy, a kernel much shorter than
// the interval, and a kernel that runs concurrently on a second queue. Its
// counters and the GPU's 32-bit clock wrap.
func mixed() *synthetic {
	s := &synthetic{interval: 16384, hertz: 19200000, first: 1<<32 - 400000, reports: 1000, raw: 1<<40 - 1<<20,
		set: "Full", device: 0x9a60}
	at := s.first + 50000
	for i := range 5 {
		s.launches = append(s.launches,
			made1{kernel: "long", start: at, end: at + 1000000, occupancy: 0.8, groups: 100, local: 64, simd: 16, queue: 1,
				event: 10},
			made1{start: at + 1000100, end: at + 1005000, queue: 1, event: 11},
			made1{kernel: "short", start: at + 1010000, end: at + 1010164, occupancy: 0.5, groups: 4, local: 32, simd: 32,
				slm: 2048, queue: 1, event: 10})
		if i == 2 {
			s.launches = append(s.launches, made1{kernel: "next to", start: at + 500000, end: at + 900000, occupancy: 0.1,
				groups: 2, local: 64, simd: 32, queue: 2, event: 12})
		}
		at += 2000000
	}
	slices.SortFunc(s.launches, func(a, b made1) int { return cmp.Compare(a.start, b.start) })
	return s
}
