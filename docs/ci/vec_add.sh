#!/bin/sh
# Add one run of vec_add under VTune to the history. It exits 1 if occupancy regressed (confirmed by two runs) or a kernel is
# missing, and 3 for any other failure; then occupancy is unknown.
#
#   sh vec_add.sh                             on this machine
#   sbatch vec_add.sh  /  qsub vec_add.sh     on a cluster; the history has the number of the job and the name of the node
#
#SBATCH --job-name=occupancy
#SBATCH --time=00:15:00
#SBATCH --gres=gpu:1
#PBS -N occupancy
#PBS -l walltime=00:15:00
#
# Settings, all optional: OCCUDIFF_DB (the history), SRC (vec_add.cpp), RUNS (a folder for the measurements), LABEL,
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

# Exports do not name the driver: ask the system. The check reports a change.
driver=${DRIVER:-$(dpkg-query -W -f '${Version}' libze-intel-gpu1 2>/dev/null || rpm -q --qf '%{VERSION}' intel-level-zero-gpu 2>/dev/null || true)}
case $driver in *"not installed"*) driver= ;; esac

"${CXX:-icpx}" -fsycl -O2 "${SRC:-vec_add.cpp}" -o "$run/vec_add"

# measure FOLDER [FLAG...]: collects a run and adds it with the flags. The check uses the number in "run 12 stored: ...", because the
# newest run of a shared history may belong to another job.
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

# Measure the suspects again, once, to distinguish a burst from a drop. The commit marks that both runs belong together.
if git rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
	suspects=0
	again=$(occudiff track check --run "$number" --suspects 2>/dev/null) || suspects=$?
	[ "$suspects" -ne 4 ] || measure "$run/again" --kernel "$again"
fi
[ -z "${GITHUB_ENV:-}" ] || echo "OCCUDIFF_RUN=$number" >>"$GITHUB_ENV" # for later steps of a workflow

# Compare with the prediction, then with the earlier runs. The report is always written.
occudiff validate "$run/vec_add.hotspots.csv" "$run/vec_add.summary.txt" --sampling-interval 100us -q -o "$run/report.xlsx" -o "$run/report.md"
verdict=0
occudiff track check --run "$number" --fail-on missing -o "$run/check.xml" -o "$run/check.md" || verdict=$?
occudiff track report -q -o "$run/trend.html" -o "$run/trend.xlsx" >"$run/trend.txt"
[ "$verdict" -gt 1 ] || status=$verdict
