#!/usr/bin/env bash
# Milliseconds per training step of two ranks on this machine, each with one thread: no communication, leat's
# DistributedDataParallel over shared memory and over Gloo, and PyTorch's over Gloo (python3-torch), in rounds in which all take
# turns. Prints the medians over the rounds, and the medians of the ratios within rounds.
#   bench/data_parallel.sh [small|large] [ROUNDS] [STEPS]
# LEAT_DATA_PARALLEL names another program than build/release/bin/leat-data-parallel.
set -euo pipefail
model=${1:-small}
rounds=${2:-7}
steps=${3:-$([ "$model" = small ] && echo 200 || echo 20)}
python=${PYTHON:-/usr/bin/python3} # Debian's, which has python3-torch
here=$(dirname "$0")
program=${LEAT_DATA_PARALLEL:-$here/../build/release/bin/leat-data-parallel}
kinds=(none shared gloo)
$python -c 'import torch' 2>/dev/null && kinds+=(pytorch) || echo "python3-torch is not installed: PyTorch is left out"
export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 OMP_NUM_THREADS=1
port=29600

# Runs both ranks of a kind; prints the milliseconds.
measure() {
  local command=("$program" "$1")
  [ "$1" = pytorch ] && command=("$python" "$here/data_parallel/peer.py" ddp)
  port=$((port + 1))
  RANK=1 LOCAL_RANK=1 MASTER_PORT=$port "${command[@]}" "$model" "$steps" >/dev/null &
  local other=$!
  RANK=0 LOCAL_RANK=0 MASTER_PORT=$port "${command[@]}" "$model" "$steps"
  wait "$other"
}

results=$(mktemp)
trap 'rm -f "$results"' EXIT
for ((round = 0; round < rounds; ++round)); do
  for kind in "${kinds[@]}"; do
    measure "$kind" >"$results.one"
    port=$((port + 1))
    echo "$round $kind $(cat "$results.one")" | tee -a "$results"
  done
done
rm -f "$results.one"
awk '
  function median(list, n,    i, j, t) {
    for (i = 1; i <= n; ++i) for (j = i + 1; j <= n; ++j) if (list[j] < list[i]) { t = list[i]; list[i] = list[j]; list[j] = t }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
  }
  { time[$1, $2] = $3; kinds[$2] = 1; if ($1 + 1 > rounds) rounds = $1 + 1 }
  END {
    for (kind in kinds) {
      n = 0
      for (r = 0; r < rounds; ++r) all[++n] = time[r, kind]
      printf "%-8s %8.3f ms per step\n", kind, median(all, n)
    }
    for (kind in kinds) {
      if (kind == "shared") continue
      n = 0
      for (r = 0; r < rounds; ++r) ratios[++n] = time[r, kind] / time[r, "shared"]
      printf "%s / shared: %.2f\n", kind, median(ratios, n)
    }
  }' "$results"
