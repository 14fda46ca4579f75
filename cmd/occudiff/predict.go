package main

import (
	"occudiff/report"

	"github.com/spf13/cobra"
)

// predictFlags are the flags of `predict` beside the launch.
type predictFlags struct {
	launchFlags
	batch    string
	sweep    string
	timeline bool
	explain  bool
	ports    int
	compat   string
	unitFlags
	compileOptions string
}

// predictCommand predicts one launch, a launch on many devices, a sweep, a timeline, or a batch.
func (a *app) predictCommand() *cobra.Command {
	var p predictFlags
	c := &cobra.Command{
		Use:   "predict [flags] [FILE...]",
		Short: "Predict the occupancy of a kernel launch, with every step of the reasoning",
		Long: `Predict the occupancy of a kernel launch from its sizes and the device's resources, with every step of the reasoning:
what each resource admits, which limits bind, Xe-core and GPU occupancy, waves and tail. Nothing is measured.

Without --slm and --barriers threads go to any free slot (policy free); with them a work-group stays whole on one
Xe-core (policy whole). Without --global one Xe-core is predicted.

--device may repeat, hold a list (tgl,a770) or be all: the same launch side by side.
--sweep varies one setting, --timeline shows the dispatch over time; -o FILE.svg draws either.
--batch predicts every line of a CSV file with the columns id,device,xve,global,local,simd,slm_kb,barriers,grf; a line
that cannot be predicted gets the status error and a message, and the rest go on.
Each FILE is a kernel binary of ocloc or a SYCL compiler, an archive of them, a folder of dumps, or a source (.cl,
.spv) that ocloc compiles: every kernel in it is predicted with what the compiler fixed. --device picks the image, or
the devices to compile for; without --global a full GPU is predicted, without --local the best work-group size.

--compat calculator answers as Intel's GPU Occupancy Calculator does; its devices are fam:..., pci:... and url:... keys.
--model compute-unit predicts compute units of any vendor from their register file (see --platform).`,
		Example: `  occudiff predict --device tgl --global 81920 --local 320 --simd 32 --slm 16K --barriers 1
  occudiff predict --device all --global 512x512 --local 16x16 --simd 16
  occudiff predict --device tgl --global 81920 --local 256 --simd 16 --sweep local -o sweep.svg
  occudiff predict --device tgl --global 22528 --local 512 --simd 32 --timeline -o phases.svg
  occudiff predict --compat calculator --device fam:gen12 --global 81920 --local 256 --simd 16
  occudiff predict --model compute-unit --platform gen11 --local 48 --simd 8 --slm 768 --registers 384
  occudiff predict --batch launches.csv -o predicted.csv
  occudiff predict kernel.zebin --global 1048576
  occudiff predict kernel.cl --device max1100,b580 --compile-options -cl-intel-256-GRF-per-thread`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.noGate("predict"); err != nil {
				return err
			}
			if len(args) > 0 {
				return a.predictFiles(c, args, &p)
			}
			if err := p.check(c.Flags()); err != nil {
				return err
			}
			if p.batch != "" {
				return a.predictBatch(c.Context(), &p)
			}
			endings := answerEndings
			if p.sweep != "" || p.timeline || p.policy == "partial" {
				endings = append([]string{".svg"}, answerEndings...)
			}
			return a.answer(endings, func() (*report.Answer, error) { return a.predict(c.Context(), &p) })
		},
	}
	f := c.Flags()
	p.launchFlags.add(f)
	p.unitFlags.add(f)
	f.StringVar(&p.policy, "policy", "auto", "dispatch: auto, free, whole, or partial (a what-if of --timeline, with --ports)")
	f.IntVar(&p.ports, "ports", 1, "dispatch ports of --policy partial")
	f.StringVar(&p.batch, "batch", "", "predict every line of this CSV file; - reads standard input")
	f.StringVar(&p.sweep, "sweep", "", "vary one setting: local, slm or simd")
	f.BoolVar(&p.timeline, "timeline", false, "show the dispatch over time")
	f.BoolVar(&p.explain, "explain", false, "add the driver's formula as a second opinion")
	f.StringVar(&p.compileOptions, "compile-options", "", "options of the OpenCL compiler for sources, as in -cl-intel-256-GRF-per-thread")
	f.StringVar(&p.compat, "compat", "", "answer as another tool does, faults included: calculator")
	return c
}
