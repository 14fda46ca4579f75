#!/bin/sh
# Check whether a pull request cost occupancy: build its merge base and its head, measure each RUNS times under VTune, in turns, so
# that a GPU that warms up slows both, and compare the two. It exits 1 if a kernel regressed, and 3 for any other failure. Run it in
# a checkout that has the base branch, on a machine with the GPU. The results are in OUT: comment.md for the pull request (short
# text, because GitHub shows no local pictures in a comment), report.html with the plots, and junit.xml.
#   BASE      the target branch of the change         (origin/main)
#   SRC       the program's source                    (vec_add.cpp)
#   RUNS      runs of each side; 4 make a test        (4)
#   OUT       the folder of the results, recreated    (occupancy)
#   TOP       kernels in the comment, the most urgent first    (20)
#   MODE      VTune's metrics: overview for GPUs newer than Gen9, whose overview lacks the occupancy  (full-compute)
#   CXX, VTUNE
set -eu
status=3
trap 'git worktree remove --force "$out/source" 2>/dev/null || true; exit "$status"' EXIT
out=${OUT:-occupancy}
base=$(git merge-base "${BASE:-origin/main}" HEAD)
src=${SRC:-vec_add.cpp} vtune=${VTUNE:-vtune} mode=${MODE:-full-compute}

rm -rf "$out"
mkdir -p "$out/base" "$out/head"
git worktree prune
git worktree add --quiet --detach "$out/source" "$base"
"${CXX:-icpx}" -fsycl -O2 "$out/source/$src" -o "$out/base-app"
"${CXX:-icpx}" -fsycl -O2 "$src" -o "$out/head-app"

i=1
while [ "$i" -le "${RUNS:-4}" ]; do
	for side in base head; do
		run=$out/$side/$i
		mkdir "$run"
		"$vtune" -collect gpu-hotspots -knob gpu-sampling-interval=0.1 -knob "characterization-mode=$mode" -r "$out/vtune-$side-$i" -- "$out/$side-app" >"$out/output-$side-$i.txt"
		"$vtune" -report hotspots -group-by computing-task -format csv -csv-delimiter comma \
			-report-output "$run/hotspots.csv" -r "$out/vtune-$side-$i"
		"$vtune" -report summary -report-output "$run/summary.txt" -r "$out/vtune-$side-$i"
	done
	i=$((i + 1))
done

verdict=0
COLUMNS=110 occudiff diff "$out/base" "$out/head" --sampling-interval 100us --fail-on regression --annotations \
	--top "${TOP:-20}" -o "$out/report.html" -o "$out/junit.xml" >"$out/diff.txt" || verdict=$?

# The marker identifies the comment, so that only this comment is edited. The first paragraph of the diff is its verdict. The first
# kernels follow.
{
	echo '<!-- occudiff: occupancy of a pull request -->'
	awk -v RS= '{ print; exit }' "$out/diff.txt"
	printf '\n~~~~text\n'
	awk '(n += length($0) + 1) > 6500 { print "..."; exit } 1' "$out/diff.txt"
	printf '~~~~\n'
} >"$out/comment.md"
[ "$verdict" -gt 1 ] || status=$verdict
