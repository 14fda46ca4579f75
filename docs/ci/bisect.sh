#!/bin/sh
# Find the commit that cost occupancy, with git bisect: build the commit that is checked out, measure it RUNS times under VTune, and
# compare it with the good commit, which is measured once. Copy the script out of the repository, because some commits may lack it:
#
#   cp docs/ci/bisect.sh /tmp && git bisect start BAD GOOD && git bisect run sh /tmp/bisect.sh
#
# It exits 0 for a good commit, 1 for a bad one, and 125 if a commit cannot be judged, because it does not build or run, or has too
# few comparable kernels. git bisect skips such commits.
#   GOOD      the commit to compare with              (the first good commit of git bisect)
#   SRC       the program's source                    (vec_add.cpp)
#   RUNS      runs of each side; 4 make a test        (4)
#   OUT       the measurements; remove it afterward (../bisect-occupancy)
#   MODE      VTune's metrics: overview for GPUs newer than Gen9, whose overview lacks the occupancy  (full-compute)
#   CXX, VTUNE
set -eu
status=125
trap 'git worktree remove --force "$out/source" 2>/dev/null || true; exit "$status"' EXIT
src=${SRC:-vec_add.cpp} out=${OUT:-../bisect-occupancy} vtune=${VTUNE:-vtune} mode=${MODE:-full-compute}

# measure SOURCE FOLDER: builds the source, and writes each run to a subfolder.
measure() {
	rm -rf "$2"
	mkdir -p "$2/runs"
	"${CXX:-icpx}" -fsycl -O2 "$1" -o "$2/app"
	i=1
	while [ "$i" -le "${RUNS:-4}" ]; do
		mkdir "$2/runs/$i"
		"$vtune" -collect gpu-hotspots -knob gpu-sampling-interval=0.1 -knob "characterization-mode=$mode" -r "$2/vtune-$i" -- "$2/app" >"$2/output-$i.txt"
		"$vtune" -report hotspots -group-by computing-task -format csv -csv-delimiter comma \
			-report-output "$2/runs/$i/hotspots.csv" -r "$2/vtune-$i"
		"$vtune" -report summary -report-output "$2/runs/$i/summary.txt" -r "$2/vtune-$i"
		i=$((i + 1))
	done
}

if [ ! -f "$out/good/measured" ]; then
	good=${GOOD:-$(git for-each-ref --format='%(objectname)' 'refs/bisect/good-*' | head -n 1)}
	git worktree prune
	git worktree add --quiet --detach --force "$out/source" "$good"
	measure "$out/source/$src" "$out/good"
	touch "$out/good/measured"
fi
measure "$src" "$out/now"

verdict=0
occudiff diff "$out/good/runs" "$out/now/runs" --sampling-interval 100us --fail-on regression --top 5 || verdict=$?
[ "$verdict" -gt 1 ] || status=$verdict
