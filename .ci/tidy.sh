#!/usr/bin/env bash
# clang-tidy on the sources of the libraries, programs and benchmarks that the given build folder compiles. (The tests
# run under the sanitizers; Catch2's macros cost the analyzer more time than all the rest.)
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.cpp' | grep -vE '/(cuda|nccl)/|^tests/' | while read -r file; do
  if grep -q "$PWD/$file\"" "$1/compile_commands.json"; then echo "$file"; fi
done | xargs -P "$(nproc)" -n 4 clang-tidy-19 --quiet -p "$1" 2>/dev/null
echo "clang-tidy: clean"
