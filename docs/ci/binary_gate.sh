#!/bin/sh
# A gate before any run: compiles the OpenCL sources of this commit and of the base branch with ocloc, and fails when a kernel
# spills more or its predicted occupancy fell. It needs no GPU. Run it in the repository; the reports land in gate/.
#   BASE      the commit to compare with            (origin/main)
#   DEVICE    the GPU to compile and predict for    (max1100)
#   SOURCES   the sources                           (every .cl file of the repository)
# It ends with 1 when a kernel got worse, and with 3 when something else went wrong.
set -eu
status=3
trap 'exit "$status"' EXIT
base=${BASE:-origin/main}
device=${DEVICE:-max1100}
sources=${SOURCES:-$(git ls-files '*.cl')}

mkdir -p gate
failed=0
for source in $sources; do
	git cat-file -e "$base:$source" 2>/dev/null || continue # a new file has nothing to be compared with
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
