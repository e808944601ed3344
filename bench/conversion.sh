#!/usr/bin/env bash
# Megabytes per second at which leat-convert makes shards of an image folder, beside `cp -r` and `sync` of the same bytes:
# rounds of all of them in turn, medians, sizes before and after. The page cache is warm.
#   bench/conversion.sh FOLDER [WORK] [ROUNDS]
# FOLDER has one sub-folder per class; the copies are made, and removed, in WORK (default: a folder of mktemp's).
# LEAT_CONVERT names another program than build/release/bin/leat-convert.
set -euo pipefail
folder=$(realpath "${1:?an image folder}")
work=${2:-$(mktemp -d)}
rounds=${3:-3}
convert=${LEAT_CONVERT:-$(dirname "$0")/../build/release/bin/leat-convert}
mkdir -p "$work"
work=$(mktemp -d "$work/conversion.XXXXXX")
trap 'rm -rf "$work"' EXIT
kinds=(cp leat plain webdataset mds) # plain: leat records that are not compressed, nor measured for it

bytes_in() { find "$1" -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f", sum }'; }

# Makes $work/out by one of the kinds; leat-convert writes its files to the disk itself.
make_copy() {
  case $1 in
    cp) cp -r "$folder" "$work/out" && sync -f "$work/out" ;;
    plain) "$convert" "$folder" "$work/out" --zstd none >/dev/null ;;
    *) "$convert" "$folder" "$work/out" --to "$1" >/dev/null ;;
  esac
}

source_bytes=$(bytes_in "$folder")
cp -r "$folder" "$work/out" && rm -rf "$work/out" # warms the page cache
for ((round = 0; round < rounds; ++round)); do
  for kind in "${kinds[@]}"; do
    sync
    start=$(date +%s%N)
    make_copy "$kind"
    end=$(date +%s%N)
    awk -v bytes="$source_bytes" -v ns=$((end - start)) 'BEGIN { print bytes * 1000 / ns }' >>"$work/$kind.rates"
    bytes_in "$work/out" >"$work/$kind.bytes"
    rm -rf "$work/out"
  done
done

median() { sort -g "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
cp_rate=$(median "$work/cp.rates")
echo "source: $(find "$folder" -type f | wc -l) files, $source_bytes bytes; medians of $rounds rounds"
printf '%-12s %10s %12s %16s %8s\n' to MB/s 'of cp+sync' 'bytes after' 'of all'
for kind in "${kinds[@]}"; do
  rate=$(median "$work/$kind.rates")
  bytes=$(cat "$work/$kind.bytes")
  awk -v kind="$kind" -v rate="$rate" -v cp="$cp_rate" -v bytes="$bytes" -v before="$source_bytes" \
    'BEGIN { printf "%-12s %10.1f %12.2f %16.0f %8.3f\n", kind, rate, rate / cp, bytes, bytes / before }'
done
