#!/usr/bin/env bash
# Clang's warnings for the sources that differ from a commit. A build folder that treats warnings as errors is needed.
#   .ci/clang_warnings.sh BUILD COMMIT
set -euo pipefail
cd "$(dirname "$0")/.."
# clang-tidy wants a check of its own to be on, beside what the compiler says: one that costs nothing.
.ci/compiled_sources.sh "$1" "$2" |
  xargs -r -P "$(nproc)" -n 4 clang-tidy-19 --quiet -p "$1" --checks='-*,modernize-use-nullptr' 2>/dev/null
echo "clang's warnings: none"
