#!/usr/bin/env bash
# Clang's warnings, as errors, for the sources that differ from a commit: compiles them as the build folder would, but writes
# nothing.
#   .ci/clang_warnings.sh BUILD COMMIT
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 since=$2
git diff --name-only --diff-filter=d "$since" -- '*.cpp' | while read -r file; do
  command=$(sed -n "s|^  \"command\": \"\(.*\) -o [^ ]* -c $PWD/$file\",\$|\1 -fsyntax-only $PWD/$file|p" "$build/compile_commands.json" | head -1 | sed 's/\\\(.\)/\1/g')
  [ -z "$command" ] || printf '%s\0' "cd '$build' && ${command/#*ccache /}"
done | xargs -0 -r -P "$(nproc)" -n 1 bash -c
echo "clang's warnings: none"
