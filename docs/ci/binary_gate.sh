#!/bin/sh
# A gate before any run: compile the OpenCL sources of this commit and of the base branch with ocloc, and fail if a kernel spills
# more or has less predicted occupancy. It needs no GPU. Run it in the repository; the reports are in gate/.
#   BASE      the commit to compare with            (origin/main)
#   DEVICE    the GPU to compile and predict for    (max1100)
#   SOURCES   the sources                           (every .cl file of the repository)
# It exits 1 if a kernel regressed, and 3 for any other failure.
set -eu
status=3
trap 'exit "$status"' EXIT
base=${BASE:-origin/main}
device=${DEVICE:-max1100}
sources=${SOURCES:-$(git ls-files '*.cl')}

mkdir -p gate
failed=0
for source in $sources; do
	git cat-file -e "$base:$source" 2>/dev/null || continue # a new file has no old version
	old=gate/base/$source
	mkdir -p "$(dirname "$old")"
	git show "$base:$source" >"$old"
	name=gate/$(echo "$source" | tr / _)
	occudiff diff "$old" "$source" --device "$device" --fail-on regression --annotations -o "$name.md" -o "$name.xml" || {
		[ $? = 1 ]
		failed=1
	}
done
status=$failed
