// Package collect knows how to run the profilers: which commands give what a
// comparison needs, in which order, with which settings, and what has to be
// installed for them. It builds argument lists and runs them without a shell.
// It does not know flags, layout, or what is done with the files.
//
// One collection is three things. VTune's gpu-hotspots samples the counters;
// how much of a value is the kernel's own depends on how many sampling
// intervals a launch takes, so that a first short run finds the interval. Two
// reports export what it saw: the computing tasks as CSV, and the summary,
// which names the GPU. And unitrace, where it is installed, tells what VTune
// leaves out: registers, SLM and spills of each kernel.
package collect

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The intervals that VTune's knob gpu-sampling-interval is given, in
// milliseconds of time.
const (
	// coarsest is VTune's own default.
	coarsest = time.Millisecond
	// ShortestInterval is the shortest that a collection is asked for: a
	// shorter one loses samples on many systems.
	ShortestInterval = 100 * time.Microsecond
	// samplesPerLaunch is how many samples a launch should have: with nine at
	// most 10% of a value lies outside the launch.
	samplesPerLaunch = 9
)

// Options say what is collected and where. App is the command line of the
// application, program first.
type Options struct {
	App []string
	Dir string // a new folder for results and exports
	// Interval between samples; 0 lets a first short run decide.
	Interval time.Duration
	// GPU is the adapter to look at, as VTune writes it (0:58:0.0); empty is
	// all of them, whose mean the counters then are.
	GPU string
	// FullCompute collects all metric sets. On Gen9, the default set counts
	// no thread occupancy; on newer GPUs it does, and VTune runs the
	// application once per set.
	FullCompute bool
	// Unitrace adds a run of the tracer.
	Unitrace bool
}

// Step is one command of a collection.
type Step struct {
	Args []string // program first
	Why  string   // for people
	// that it writes, empty for a result folder; unitrace puts a process number
	// before the ending: a pattern
	File string
}

// String prints the step so that a shell reads the same arguments.
func (s Step) String() string { return JoinCommand(s.Args) }

// JoinCommand quotes the words of a command.
func JoinCommand(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = Quote(a)
	}
	return strings.Join(words, " ")
}

// Files returns what the steps write as words for a shell, patterns as such.
func Files(steps []Step) (words []string) {
	for _, s := range steps {
		if file, pattern := strings.CutSuffix(s.File, "*"); pattern {
			words = append(words, Quote(file)+"*")
		} else if file != "" {
			words = append(words, Quote(file))
		}
	}
	return words
}

// Quote quotes an argument for a POSIX shell where it needs that.
func Quote(a string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=@%+"
	if a != "" && strings.Trim(a, plain) == "" {
		return a
	}
	return "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
}

// Probe returns the first short run: a collection at the default interval and
// its export.
func Probe(o Options) []Step {
	result, file := below(o.Dir, "probe"), o.probeFile()
	return []Step{
		{Args: o.collect(result, coarsest, ""), Why: "a first run finds how long a launch takes"},
		{Args: export(result, file), Why: "its computing tasks", File: file},
	}
}

// probeFile is the export of the first short run.
func (o Options) probeFile() string { return below(o.Dir, "probe.csv") }

// below returns a path in a folder; none is read as an option.
func below(dir, name string) string {
	path := filepath.Join(dir, name)
	if strings.HasPrefix(path, "-") {
		path = "." + string(filepath.Separator) + path
	}
	return path
}

// Steps returns the collection itself at an interval, and its exports. The
// files of the steps are one run.
func Steps(o Options, interval time.Duration) []Step {
	result := below(o.Dir, "result")
	counters := Step{Args: o.collect(result, interval, ""), Why: "the counters"}
	if o.FullCompute {
		counters = Step{Args: o.collect(result, interval, "full-compute"),
			Why: "the counters: full-compute, because the default set of Gen9 has no thread occupancy; a newer GPU does not " +
				"need it: name it with --device"}
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

// collect returns the command of a collection with a set of metrics, VTune's
// default if mode is empty.
func (o Options) collect(result string, interval time.Duration, mode string) []string {
	ms := strconv.FormatFloat(interval.Seconds()*1e3, 'f', -1, 64)
	args := []string{"vtune", "-collect", "gpu-hotspots", "-knob", "gpu-sampling-interval=" + ms}
	if mode != "" {
		args = append(args, "-knob", "characterization-mode="+mode)
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

// exportSteps returns the reports of a VTune result folder that exists.
func exportSteps(result, dir string) []Step {
	hotspots, summary := below(dir, "run.hotspots.csv"), below(dir, "run.summary.txt")
	return []Step{
		{Args: export(result, hotspots), Why: "the computing tasks", File: hotspots},
		{Args: []string{"vtune", "-report", "summary", "-report-output", summary, "-r", result},
			Why: "the GPU and the machine", File: summary},
	}
}

// IntervalFor returns the interval at which a launch of a mean time has nine
// samples, within what VTune takes, rounded down to a hundredth of a
// millisecond. It also says whether nine can be had at all.
func IntervalFor(launch time.Duration) (interval time.Duration, enough bool) {
	interval = (launch / samplesPerLaunch).Truncate(10 * time.Microsecond)
	return min(max(interval, ShortestInterval), coarsest), interval >= ShortestInterval
}

// Job returns a script that runs `occudiff collect` on a node of a cluster,
// under slurm or else pbs, so that its first short run, its flags and its exit
// status are those of the command. The folder and the outputs get the numbers
// of the job and the rank; without outputs it is a Markdown file next to the
// folder. What is worth copying home of the folder is packed next to it,
// without what VTune makes again of the rest.
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
	return fmt.Sprintf("#!/bin/sh -l\n%s%s%ssh -c %s sh %s\n", head, setUp, launch, Quote(script),
		JoinCommand(append(append(flags, "--"), o.App...)))
}

func numbered(name, ending string) string {
	word := Quote(name) + `."$id"`
	if ending != "" {
		word += Quote(ending)
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
# For more ranks raise --ntasks, with a GPU for each.
`
	pbsHead = `#PBS -N occudiff
#PBS -l select=1:ngpus=1
#PBS -l walltime=00:30:00
#PBS -j oe
cd "$PBS_O_WORKDIR" || exit 2
# For more ranks put mpiexec before the sh of the last command, with a GPU for each.
`
	// setUp is what oneAPI's manual says; a job that has vtune already is left
	// as it is.
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

# A first short run finds the sampling interval, unless --interval gives it. Each rank is a run of its own.
# shellcheck disable=SC2016
`
)
