package collect

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Job gives a script that runs `occudiff collect` on a node of a cluster, under slurm or else pbs, so that its first
// short run, its flags and its exit status are those of the command. The folder and the outputs get the numbers of the
// job and the rank; without outputs it is a Markdown file beside the folder. What is worth copying home of the folder
// is packed beside it, without what VTune makes again of the rest.
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
		Line(append(append(flags, "--"), o.App...)))
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
	// setUp is what oneAPI's manual says; a job that has vtune already is left as it is.
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
