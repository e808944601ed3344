#!/usr/bin/env bash
# clang-tidy on the sources of the libraries, programs and benchmarks that the given build folder compiles. (The tests
# run under the sanitizers; Catch2's macros cost the analyzer more time than all the rest.)
#   .ci/tidy.sh BUILD           all of them; the static analyzer looks into each function by itself, not through its calls
#   .ci/tidy.sh BUILD COMMIT    those that differ from the commit, with the analyzer at its full depth
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 since=${2:-}
options=(--quiet -p "$build")
if [ -z "$since" ]; then
  for word in -Xclang -analyzer-config -Xclang mode=shallow; do options+=("--extra-arg=$word"); done
fi
.ci/compiled_sources.sh "$build" "$since" | { grep -vE '^tests/' || true; } |
  xargs -r -P "$(nproc)" -n 4 clang-tidy-19 "${options[@]}" 2>/dev/null
echo "clang-tidy: clean"
