#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds, from small sound inputs and from every input that was once a
# finding (tests/fuzz/findings/<target>/); as many at a time as there are CPUs. Stops at the first finding and says where it
# lies.
#   tests/fuzz/run.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?how many seconds for each target?}
shift
build=build/asan

cmake --preset asan >/dev/null
cmake --build --preset asan --target fuzz_targets
if [ "$#" -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cpp; do set -- "$@" "$(basename "$source" _fuzz.cpp)"; done
fi

rm -rf "$build/seeds"
"$build/bin/make_seeds" "$build/seeds"
fuzz() {
  local target=$1 corpus known runs edges
  corpus=$build/corpus/$target
  mkdir -p "$corpus" "$build/findings"
  known=(tests/fuzz/findings/"$target"/*)
  if [ -e "${known[0]}" ]; then "$build/bin/${target}_fuzz" "${known[@]}" 2>"$build/$target.log"; fi
  "$build/bin/${target}_fuzz" "$corpus" "$build/seeds/$target" -max_total_time="$seconds" -max_len=65536 \
    -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$target-" >"$build/$target.log" 2>&1 || {
    tail -40 "$build/$target.log"
    echo "$target: a finding, in $build/findings/ and $build/$target.log" >&2
    return 1
  }
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
  edges=$(grep -oE 'cov: [0-9]+' "$build/$target.log" | tail -1)
  echo "$target: $runs inputs in $seconds s, ${edges:-cov: 0} edges, no finding"
}

trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
running=()
for target in "$@"; do
  if [ "${#running[@]}" -eq "$(nproc)" ]; then
    wait "${running[0]}" # all take equally long
    running=("${running[@]:1}")
  fi
  fuzz "$target" &
  running+=($!)
done
for process in "${running[@]}"; do wait "$process"; done
