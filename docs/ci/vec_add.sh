#!/bin/sh
# One run of vec_add under VTune, into the history. It ends with 1 when occupancy regressed (confirmed by two runs) or a kernel
# is gone, and with 3 when something else went wrong: nothing is known of occupancy then.
#
#   sh vec_add.sh                             here and now
#   sbatch vec_add.sh  /  qsub vec_add.sh     on a cluster; the history then has the job's number and the node's name
#
#SBATCH --job-name=occupancy
#SBATCH --time=00:15:00
#SBATCH --gres=gpu:1
#PBS -N occupancy
#PBS -l walltime=00:15:00
#
# Settings, all optional: OCCUDIFF_DB (the history), SRC (vec_add.cpp), RUNS (a folder that keeps what was measured), LABEL,
# DRIVER (the GPU driver's version), CXX, VTUNE, MODE (VTune's metrics: full-compute; overview is enough for GPUs newer than Gen9).
set -eu
status=3
trap 'exit "$status"' EXIT
cd "${SLURM_SUBMIT_DIR:-${PBS_O_WORKDIR:-.}}"

export OCCUDIFF_DB="${OCCUDIFF_DB:-occudiff.db}"
vtune=${VTUNE:-vtune} mode=${MODE:-full-compute}
run=${RUNS:-runs}/$(date -u +%Y%m%dT%H%M%SZ)-$$
mkdir -p "$run"
case $OCCUDIFF_DB in *://*) ;; *) mkdir -p "$(dirname "$OCCUDIFF_DB")" ;; esac

# No export says which driver it was: ask the system. The check says when it changed.
driver=${DRIVER:-$(dpkg-query -W -f '${Version}' libze-intel-gpu1 2>/dev/null || rpm -q --qf '%{VERSION}' intel-level-zero-gpu 2>/dev/null || true)}
case $driver in *"not installed"*) driver= ;; esac

"${CXX:-icpx}" -fsycl -O2 "${SRC:-vec_add.cpp}" -o "$run/vec_add"

# measure FOLDER [FLAG...]: collects, and adds that with the flags. It says "run 12 stored: ...": that run is checked. The newest of a
# history that several jobs share may be another job's.
measure() {
	to=$1
	shift
	mkdir -p "$to"
	started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	"$vtune" -collect gpu-hotspots -knob gpu-sampling-interval=0.1 -knob "characterization-mode=$mode" -r "$to/vtune" -- "$run/vec_add" >"$to/output.txt"
	"$vtune" -report hotspots -group-by computing-task -format csv -csv-delimiter comma \
		-report-output "$to/vec_add.hotspots.csv" -r "$to/vtune"
	"$vtune" -report summary -report-output "$to/vec_add.summary.txt" -r "$to/vtune"
	added=$(occudiff track add "$to/vec_add.hotspots.csv" "$to/vec_add.summary.txt" --sampling-interval 100us \
		--time "$started" --driver "$driver" --label "${LABEL:-vec_add}" "$@")
	printf '%s\n' "$added"
	number=${added#run }
	number=${number%% *}
}
measure "$run"

# Kernels that lie lower than one run hardly does by chance are measured again, once: that tells a burst from a drop. The commit says
# that both runs belong together.
if git rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
	suspects=0
	again=$(occudiff track check --run "$number" --suspects 2>/dev/null) || suspects=$?
	[ "$suspects" -ne 4 ] || measure "$run/again" --kernel "$again"
fi
[ -z "${GITHUB_ENV:-}" ] || echo "OCCUDIFF_RUN=$number" >>"$GITHUB_ENV" # for the steps that follow in a workflow

# What was measured against the prediction, then against the runs before. The report is written either way.
occudiff validate "$run/vec_add.hotspots.csv" "$run/vec_add.summary.txt" --sampling-interval 100us -q -o "$run/report.xlsx" -o "$run/report.md"
verdict=0
occudiff track check --run "$number" --fail-on missing -o "$run/check.xml" -o "$run/check.md" || verdict=$?
occudiff track report -q -o "$run/trend.html" -o "$run/trend.xlsx" >"$run/trend.txt"
[ "$verdict" -gt 1 ] || status=$verdict
