#!/usr/bin/env bash
# Prints the sources that the given build folder compiles; with a commit, those of them that differ from it.
#   .ci/compiled_sources.sh BUILD [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 since=${2:-}
if [ -n "$since" ]; then
  git diff --name-only --diff-filter=d "$since" -- '*.cpp'
else
  git ls-files '*.cpp'
fi | while read -r file; do
  if grep -q "$PWD/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
done
