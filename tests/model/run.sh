#!/usr/bin/env bash
# Checks the claim protocol's model (slots.pml) with Spin: every run of the protocol must pass, every mutant must fail,
# and by the check that it is there for. Prints a table of the state counts.
#   tests/model/run.sh [folder to work in]           what CI runs: a minute, 400 MiB
#   tests/model/run.sh --large [folder to work in]   larger ones: an hour, 8 GiB
set -euo pipefail
model=$(cd "$(dirname "$0")" && pwd)/slots.pml
suite=small
optimize=-O0 # to compile what Spin writes takes longer than to run it, but for large models
if [ "${1:-}" = --large ]; then
  suite=large
  optimize=-O2
  shift
fi
for tool in spin gcc; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 0; }
done
if [ -n "${1:-}" ]; then
  mkdir -p "$1"
  cd "$1"
else
  cd "$(mktemp -d)"
  trap 'rm -rf "$PWD"' EXIT
fi

# What must hold | what is asked | parameters. Safety: assertions, and no state in which all are stuck. Liveness: under
# weak fairness, all is delivered in the end.
small() {
  cat <<'RUNS'
pass     | safety   | -DC=1
pass     | safety   | -DS=1 -DK=1 -DU=2 -DC=1
pass     | safety   | -DS=1 -DH=1
pass     | safety   | -DS=1 -DK=1 -DR=2 -DC=2
pass     | safety   | -DN=1 -DR=2 -DO=2
pass     | safety   | -DS=1 -DR=2 -DPOISON=1 -DSKIP=1 -DC=1
pass     | safety   | -DN=1 -DR=2 -DPOISON=1 -DC=1 -DO=1
pass     | safety   | -DN=1 -DR=3 -DTHROWS=0 -DPOISON=1 -DSKIP=1 -DC=1
pass     | safety   | -DN=1 -DU=2 -DR=2 -DTHROWS=2 -DC=1
pass     | safety   | -DX=1
pass     | safety   | -DN=1 -DX=1 -DC=1 -DF=1
pass     | safety   | -DN=1 -DS=1 -DU=2 -DX=1 -DC=2 -DF=1
pass     | safety   | -DS=1 -DK=1 -DX=1 -DC=1 -DF=1
pass     | liveness | -DS=1 -DK=1 -DC=1
pass     | liveness | -DS=1
pass     | liveness | -DN=1 -DS=1 -DK=1 -DR=2 -DPOISON=1 -DSKIP=1
pass     | liveness | -DN=1 -DS=1 -DX=1 -DC=1 -DF=1
two write| safety   | -DMUT=1 -DS=1 -DK=1 -DH=1
stuck    | safety   | -DMUT=2 -DS=1 -DK=1 -DC=1
stuck    | safety   | -DMUT=3 -DS=1 -DK=1 -DC=1
stuck    | safety   | -DMUT=4 -DS=1 -DK=1 -DC=1
torn     | safety   | -DMUT=5 -DS=1 -DK=1 -DH=1
stuck    | safety   | -DMUT=6 -DS=1 -DK=1
stuck    | safety   | -DMUT=7 -DS=1 -DK=1
stuck    | safety   | -DMUT=8 -DN=1 -DS=1 -DK=1 -DX=1 -DC=1 -DF=1
blame    | safety   | -DMUT=9 -DN=1 -DS=1 -DR=2 -DK=1 -DPOISON=1
blame    | safety   | -DMUT=10 -DN=1 -DS=1 -DR=2 -DK=1 -DC=2
stuck    | safety   | -DMUT=11 -DN=1 -DS=1 -DK=1 -DX=1 -DC=1 -DF=1
stuck    | safety   | -DMUT=12 -DN=1 -DS=1 -DX=1
kept     | safety   | -DMUT=13 -DN=1 -DS=1 -DR=2 -DK=1 -DC=1
stuck    | safety   | -DMUT=14 -DN=1 -DS=1 -DK=1 -DX=1 -DC=1 -DF=1
stuck    | safety   | -DMUT=15 -DN=1 -DS=1
twice    | safety   | -DMUT=16 -DN=1 -DS=1 -DR=2 -DK=1 -DC=1
never    | liveness | -DMUT=4 -DS=1 -DK=1 -DC=1
RUNS
}

large() {
  cat <<'RUNS'
pass     | safety   | -DK=3 -DC=1
pass     | safety   | -DK=3 -DC=1 -DH=1
pass     | safety   | -DC=2
pass     | safety   | -DS=1 -DC=1 -DO=1
pass     | safety   | -DU=2 -DC=1
pass     | safety   | -DS=1 -DR=2 -DC=2
pass     | safety   | -DS=1 -DK=1 -DR=2 -DC=3 -DLIMIT=4 -DOUTSIDE=4
pass     | safety   | -DK=2 -DR=2 -DPOISON=1 -DTHROWS=2 -DSKIP=1 -DC=1
pass     | safety   | -DX=1 -DC=1 -DF=1
pass     | safety   | -DS=1 -DK=1 -DU=2 -DX=1 -DC=1 -DF=1
pass     | safety   | -DN=1 -DU=2 -DK=3 -DX=1 -DC=2 -DF=1
pass     | safety   | -DN=3 -DS=1 -DK=1 -DC=1
pass     | safety   | -DN=3 -DS=1 -DK=1 -DU=2 -DC=1
pass     | liveness | -DK=2 -DC=1
pass     | liveness | -DS=1 -DK=1 -DR=2 -DC=2
pass     | liveness | -DS=1 -DK=1 -DX=1 -DC=1 -DF=1
RUNS
}

# The text of pan's report by which a mutant was caught.
caught() {
  case "$1" in
    stuck) echo 'invalid end state' ;;
    never) echo 'acceptance cycle' ;;
    torn) echo 'assertion violated.*==descriptor\[s\]' ;;
    kept) echo 'assertion violated.*whole.*==descriptor\[' ;;
    twice) echo 'assertion violated.*!(whole.*died_at' ;;
    blame) echo 'assertion violated.*died_at.*>=d' ;;
    two_write) echo 'assertion violated (word\[p\]==mine)' ;;
  esac
}

# check <asked> <parameters>: leaves pan's report in the file `report`.
check() {
  rm -f slots.pml.trail
  # shellcheck disable=SC2086 # parameters are words
  spin -a $2 slots.pml >spin.log 2>&1 || { cat spin.log >&2; exit 1; }
  if [ "$1" = safety ]; then
    gcc $optimize -w -DSAFETY -DNOCLAIM -DCOLLAPSE -DSFH -DVECTORSZ=512 -DMEMLIM=12000 -o pan pan.c
    ./pan -m50000 -w20 >report 2>&1 || true
  else
    gcc $optimize -w -DNFAIR=2 -DCOLLAPSE -DVECTORSZ=512 -DMEMLIM=12000 -o pan pan.c
    ./pan -a -f -m1000000 -w20 >report 2>&1 || true
  fi
}

# The search was complete, and found nothing.
passed() {
  grep -q 'errors: 0$' report && ! grep -qE 'max search depth|out of memory|Search not completed|truncated' report
}

# run <number> <expected> <asked> <parameters>: one row of the table, in the file <number>/row; 1 if it is not as expected.
run() {
  local began states seconds verdict=
  mkdir -p "$1"
  cd "$1"
  cp "$model" slots.pml
  began=$(date +%s.%N)
  check "$3" "$4"
  seconds=$(echo "$(date +%s.%N) $began" | awk '{printf "%.1f", $1 - $2}')
  states=$(awk '/states, stored/ {print $1}' report)
  if [ "$2" = pass ]; then
    passed || verdict="  FAILED"
  else
    grep -q "$(caught "$2")" report || verdict="  NOT CAUGHT"
  fi
  printf '%-9s  %-8s  %10s  %7s  %s%s\n' "$2" "$3" "$states" "$seconds" "$4" "$verdict" >row
  [ -z "$verdict" ] || { grep -E '^pan:|error' report >>row || true; }
  [ -z "$verdict" ]
}

at_once=$(nproc)
[ "$suite" = small ] || at_once=1 # memory
bad=0
number=0
while IFS='|' read -r expected asked parameters; do
  number=$((number + 1))
  if [ "$number" -gt "$at_once" ]; then wait -n || bad=1; fi
  (run "$number" $(echo $expected | tr ' ' _) $asked "$(echo $parameters)") &
done < <($suite)
for ((left = number < at_once ? number : at_once; left > 0; --left)); do wait -n || bad=1; done
printf '%-9s  %-8s  %10s  %7s  %s\n' expected asked states seconds parameters
for ((row = 1; row <= number; ++row)); do
  cat "$row/row" || bad=1
done
[ "$bad" -eq 0 ] || { echo "the model and the expectations differ (see the reports and trails below $PWD: spin -t -p -k)"; exit 1; }
