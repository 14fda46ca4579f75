// Package collect runs the profilers. It knows which commands produce a
// comparison's input, in which order, with which settings, and what must be
// installed. It builds argument lists and runs them without a shell. It does
// not know flags, layout, or how the files are used.
//
// A collection has three parts:
//
//  1. VTune's gpu-hotspots samples the counters. A launch that spans more
//     sampling intervals has values with a larger share of its own. A short
//     first run therefore determines the interval.
//  2. Two VTune reports export the result: the computing tasks as CSV, and the
//     summary, which names the GPU.
//  3. unitrace, if it is installed, adds what VTune omits: registers, SLM, and
//     spills of each kernel.
package collect

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest/note"
)

// Limits for VTune's knob gpu-sampling-interval.
const (
	// coarsest is VTune's own default interval.
	coarsest = time.Millisecond
	// ShortestInterval is the shortest interval that a collection requests. A
	// shorter one loses samples on many systems.
	ShortestInterval = 100 * time.Microsecond
	// samplesPerLaunch is the number of samples that a launch should have. With
	// nine samples, at most 10% of a value comes from outside the launch.
	samplesPerLaunch = 9
)

// Options are a collection's settings. App is the application's command line,
// with the program first.
type Options struct {
	App []string
	Dir string // a new folder for results and exports
	// Interval is the time between samples. If it is 0, a short first run
	// determines the interval.
	Interval time.Duration
	// GPU is the adapter to profile, as VTune writes it (0:58:0.0). If it is
	// empty, VTune profiles all adapters, and the counters are their mean.
	GPU string
	// FullCompute collects all metric sets. On Gen9, the default set counts
	// no thread occupancy; on newer GPUs it does, and VTune runs the
	// application once per set.
	FullCompute bool
	// Unitrace adds a run with unitrace.
	Unitrace bool
}

// A Step is one command in a collection.
type Step struct {
	Args []string // program first
	Why  string   // purpose, for people
	// File is the file that the step writes. It is empty for a result folder.
	// For unitrace it is a pattern, because unitrace puts the process ID before
	// the file extension.
	File string
}

// String returns the command line, quoted for a shell.
func (s Step) String() string { return note.CommandLine(s.Args...) }

// Files returns the files that the steps write, quoted for a shell. The * of a
// pattern is not quoted.
func Files(steps []Step) (words []string) {
	for _, s := range steps {
		if file, pattern := strings.CutSuffix(s.File, "*"); pattern {
			words = append(words, note.CommandLine(file)+"*")
		} else if file != "" {
			words = append(words, note.CommandLine(file))
		}
	}
	return words
}

// Probe returns the steps for the short first run: a collection at the default
// interval and its export.
func Probe(o Options) []Step {
	result, file := below(o.Dir, "probe"), o.probeFile()
	return []Step{
		{Args: o.collect(result, coarsest, false), Why: "a first run finds how long a launch takes"},
		{Args: export(result, file), Why: "its computing tasks", File: file},
	}
}

// probeFile returns the path of the export of the short first run.
func (o Options) probeFile() string { return below(o.Dir, "probe.csv") }

// below returns a file's path in a folder. It adds "./" to a path that starts
// with "-", which a program would read as an option.
func below(dir, name string) string {
	path := filepath.Join(dir, name)
	if strings.HasPrefix(path, "-") {
		path = "." + string(filepath.Separator) + path
	}
	return path
}

// Steps returns the collection at an interval, followed by its exports. The
// steps' files form one run.
func Steps(o Options, interval time.Duration) []Step {
	result := below(o.Dir, "result")
	counters := Step{Args: o.collect(result, interval, o.FullCompute), Why: "the counters"}
	if o.FullCompute {
		counters.Why += " (full-compute, because Gen9 has no thread occupancy without it; " +
			"not with --device of a newer GPU)"
	}
	steps := append([]Step{counters}, exportSteps(result, o.Dir)...)
	if o.Unitrace {
		file := below(o.Dir, "run.unitrace")
		steps = append(steps, Step{Args: append([]string{"unitrace", "--device-timing", "--verbose", "--output",
			file + ".txt"}, o.App...),
			Why: "registers, SLM and spills of each kernel", File: file + "*"})
	}
	return steps
}

// collect returns a collection's command, with all metric sets or VTune's
// default.
func (o Options) collect(result string, interval time.Duration, full bool) []string {
	ms := strconv.FormatFloat(interval.Seconds()*1e3, 'f', -1, 64)
	args := []string{"vtune", "-collect", "gpu-hotspots", "-knob", "gpu-sampling-interval=" + ms}
	if full {
		args = append(args, "-knob", "characterization-mode=full-compute")
	}
	if o.GPU != "" {
		args = append(args, "-knob", "target-gpu="+o.GPU)
	}
	return append(append(args, "-r", result, "--"), o.App...)
}

func export(result, file string) []string {
	return []string{"vtune", "-report", "hotspots", "-group-by", "computing-task", "-format", "csv", "-csv-delimiter",
		"comma", "-report-output", file, "-r", result}
}

// exportSteps returns the steps that export an existing VTune result folder.
func exportSteps(result, dir string) []Step {
	hotspots, summary := below(dir, "run.hotspots.csv"), below(dir, "run.summary.txt")
	return []Step{
		{Args: export(result, hotspots), Why: "the computing tasks", File: hotspots},
		{Args: []string{"vtune", "-report", "summary", "-report-output", summary, "-r", result},
			Why: "the GPU and the machine", File: summary},
	}
}

// IntervalFor returns the interval at which a launch of the given mean duration
// has nine samples. The interval is rounded down to a hundredth of a
// millisecond and limited to what VTune accepts. enough reports whether nine
// samples are possible.
func IntervalFor(launch time.Duration) (interval time.Duration, enough bool) {
	interval = (launch / samplesPerLaunch).Truncate(10 * time.Microsecond)
	return min(max(interval, ShortestInterval), coarsest), interval >= ShortestInterval
}

// Job returns a script that runs `occudiff collect` on a node of a cluster,
// under PBS if scheduler is "pbs" and under Slurm otherwise. The short first
// run, the flags, and the exit status are the same as for the command.
//
// The names of the folder and of the outputs get the job ID and the rank.
// Without outputs, the script writes a Markdown file next to the folder. It
// also packs the folder into an archive to copy home, without the files that
// VTune can create again from the others.
func Job(scheduler string, o Options, outputs, flags []string) string {
	head, launch, id := slurmHead, "srun ", "$SLURM_JOB_ID.$SLURM_PROCID"
	if scheduler == "pbs" {
		head, launch, id = pbsHead, "", "${PBS_JOBID%%.*}.${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}"
	}
	dir := numbered(o.Dir, "")
	line := "occudiff collect --dir " + dir
	if len(outputs) == 0 {
		line += " -o " + numbered(o.Dir, ".md")
	}
	for _, file := range outputs {
		ending := filepath.Ext(file)
		line += " -o " + numbered(strings.TrimSuffix(file, ending), ending)
	}
	script := "id=" + id + "\n" + line + ` "$@"` + "\nstatus=$?\ntar -czf " + numbered(o.Dir, ".tar.gz") +
		" --exclude='*.tb7' --exclude=sqlite-db -- " + dir + "\nexit $status"
	return fmt.Sprintf("#!/bin/sh -l\n%s%s%ssh -c %s sh %s\n", head, setUp, launch, note.CommandLine(script),
		note.CommandLine(append(append(flags, "--"), o.App...)...))
}

func numbered(name, ending string) string {
	word := note.CommandLine(name) + `."$id"`
	if ending != "" {
		word += note.CommandLine(ending)
	}
	return word
}

const (
	slurmHead = `#SBATCH --job-name=occudiff
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gres=gpu:1
#SBATCH --time=00:30:00
#SBATCH --output=occudiff.%j.out
# For more ranks, raise --ntasks, and request one GPU per rank.
`
	pbsHead = `#PBS -N occudiff
#PBS -l select=1:ngpus=1
#PBS -l walltime=00:30:00
#PBS -j oe
cd "$PBS_O_WORKDIR" || exit 2
# For more ranks, put mpiexec before sh in the last command, and request one GPU per rank.
`
	// setUp loads VTune according to oneAPI's manual. It changes nothing if the
	// job already has vtune.
	setUp = `
if ! command -v vtune >/dev/null; then
  vars=${ONEAPI_ROOT:-/opt/intel/oneapi}/setvars.sh
  if [ -f "$vars" ]; then
    # shellcheck source=/dev/null
    . "$vars" >/dev/null
  else
    module load vtune || module load oneapi
  fi
fi

# A first short run finds the sampling interval, unless --interval sets it. Each rank is a separate run.
# shellcheck disable=SC2016
`
)
