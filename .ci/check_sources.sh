#!/usr/bin/env bash
# Fails where a source file includes a folder above its own, or a device header outside the folders for it, and where
# a test's name would be lost on its way through CMake's lists.
# The layers, lowest first: datasets, the loader's rooms, loader, loader/sweep, transfer, parallel; bench,
# tools and tests see all.
set -euo pipefail
cd "$(dirname "$0")/.."

rank() {
  case "$1" in
    datasets/base/* | datasets/dtype.* | datasets/errors.* | datasets/rng.* | datasets/tensor_* | datasets/warning.*) echo 0 ;;
    datasets/*) echo 1 ;;
    loader/os/*) echo 1 ;;
    loader/samplers/* | loader/slots/* | loader/errors.*) echo 2 ;;
    loader/workers/*) echo 3 ;;
    loader/sweep/*) echo 5 ;;
    loader/*) echo 4 ;;
    transfer/*) echo 6 ;;
    parallel/*) echo 7 ;;
    *) echo 8 ;;
  esac
}

bad=0
complain() {
  echo "$1" >&2
  bad=1
}

while IFS=: read -r file line include; do
  target=${include#*\"}
  target=${target%\"*}
  case "$target" in
    leat/version.h) continue ;; # cmake/version.h.in
    leat/*) target=${target#leat/} ;;
    loader/* | datasets/* | transfer/* | parallel/*)
      case "$file" in
        tests/consumer/*) ;; # which has headers of such names of its own
        *) complain "$file:$line: the path to include is \"leat/$target\"" ;;
      esac
      ;;
  esac
  [ -e "$target" ] || complain "$file:$line: \"$target\" does not exist from the project's root"
  if [ "$(rank "$file")" -lt "$(rank "$target")" ]; then
    complain "$file:$line: includes \"$target\", which is a layer above it"
  fi
done < <(grep -rnE '^#include "' --include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh' \
  loader datasets transfer parallel bench tools tests)

while IFS=: read -r file line _; do
  case "$file" in
    */cuda/* | */nccl/*) ;;
    *) complain "$file:$line: CUDA and NCCL headers belong into folders called cuda or nccl" ;;
  esac
done < <(grep -rnE '^#include <(cuda|nccl|cublas|nvtx|curand)' loader datasets transfer parallel bench tools tests || true)

while IFS=: read -r file line text; do
  case "$file" in
    */cuda/* | */nccl/* | */gloo/* | tests/catch2_v2/*) ;;
    *) complain "$file:$line: $text: the build picks a folder, the code does not ask" ;;
  esac
done < <(grep -rnE '^#[ ]*(if|ifdef|ifndef|elif)\b' --include='*.h' --include='*.cpp' --include='*.cu' \
  loader datasets transfer parallel bench tools tests || true)

while IFS=: read -r file line _; do
  complain "$file:$line: brackets and semicolons in a test's name hide it, and those after it, from CTest"
done < <(grep -rnE '(TEST_CASE|LEAT_LOADER_TEST)\([^"]*"[^"]*[][;]' tests || true)

[ "$bad" -eq 0 ] && echo "layers, headers and test names: clean"
exit "$bad"
