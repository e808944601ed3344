#!/usr/bin/env bash
# Plants small faults into a copy of the source, one at a time, and says which of them the tests find. Fails where one
# survives that is not written down as equivalent. For use before a release: all of them take some hours.
#   tests/mutants/run.sh                  all mutants
#   tests/mutants/run.sh P6 parallel ...  those with these ids, or of these lists
#   tests/mutants/run.sh --list [...]     only names them
# Tests what git tracks, with changes that are not committed. What stays in build/mutants makes the next run faster: the copy
# of the source, and the names of the tests that found the mutants, which are asked first then.
set -euo pipefail
cd "$(dirname "$0")/../.."
mutants=$PWD/tests/mutants/mutants.pl
work=$PWD/build/mutants
tree=$work/tree
build=$tree/build/release

if [ "${1:-}" = --list ]; then
  shift
  "$mutants" list "$@" | awk -F '\t' '{ printf "%-4s %s: %s%s\n", $1, $2, $4, $5 == "" ? "" : " (equivalent)" }'
  exit
fi
selection=$("$mutants" list "$@")
"$mutants" check .

say() { printf '\n== %s\n' "$*"; }

say "Copying the source to $tree"
commit=$(git stash create)
commit=${commit:-$(git rev-parse HEAD)}
mkdir -p "$work"
[ -e "$tree/.git" ] || git worktree add --quiet --force --detach "$tree" "$commit"
git -C "$tree" checkout --quiet --force --detach "$commit"
export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
(cd "$tree" && cmake --preset release -DLEAT_CUDA=FAKE -DLEAT_BUILD_BENCH=OFF ${LEAT_CMAKE_ARGS:-}) >"$work/configure.log"

# What tests leave behind that are stopped in the middle lies here.
export TMPDIR=$work/tmp
fresh_temporaries() {
  rm -rf "$TMPDIR"
  mkdir -p "$TMPDIR"
}

build_program() { cmake --build "$build" --target "$1" >"$work/build.log" 2>&1; }

# Ends the processes that a program's tests have left behind: a mutant may have workers outlive their loader.
end_leftovers() {
  local process
  for process in /proc/[0-9]*; do
    if [ "$(readlink "$process/exe" || true)" = "$build/bin/$1" ]; then kill -KILL "${process#/proc/}" || true; fi
  done 2>/dev/null
}

# run_program PROGRAM SECONDS [TESTS]: runs its tests up to the first one that fails. Sets `killer` to the name of that one.
run_program() {
  local status=0 tests=${3:-~[slow]~[real-data]}
  fresh_temporaries
  (cd "$build" && timeout -k 10 "$2" "bin/$1" "$tests" -a -d yes) >"$work/tests.log" 2>&1 || status=$?
  end_leftovers "$1"
  [ "$status" -eq 0 ] && return
  killer=$(sed -n 's/^[0-9.]* s: //p' "$work/tests.log" | tail -1) # that ended; one that hangs may not have
  [ "$status" -lt 124 ] || killer="a hang or an abort at or behind: $killer"
  return 1
}

declare -A bound # seconds until a test program counts as hanging
# Builds a program without a mutant, where that was not done before; its tests must pass.
prepare() {
  local program=$1 started=$SECONDS
  [ -z "${bound[$program]:-}" ] || return 0
  build_program "$program" || { tail -40 "$work/build.log" >&2 && exit 1; }
  local built=$SECONDS
  run_program "$program" 1800 || run_program "$program" 1800 || {
    echo "$program fails without any mutant: $killer ($work/tests.log)" >&2
    exit 1
  }
  bound[$program]=$((60 + 5 * (SECONDS - built)))
  echo "$program without a mutant: built in $((built - started)) s, passes in $((SECONDS - built)) s" >&2
}

# ask ID FILE PROGRAM [TESTS]: sets `result` to what the program says of the mutant.
ask() {
  local id=$1 file=$2 program=$3 tests=${4:-}
  prepare "$program"
  "$mutants" plant "$id" "$tree"
  result=survived
  if ! build_program "$program"; then
    result="does not compile"
  elif ! run_program "$program" "${bound[$program]}" "$tests"; then
    result="killed by $program: $killer"
  fi
  git -C "$tree" checkout --quiet -- "$file"
}

# ask_first ID FILE: asks the test that found the mutant last time, if there is one.
ask_first() {
  local id=$1 file=$2 program name
  result=survived
  IFS=$'\t' read -r program name < <(grep -sP "^$id\t" "$work/killers" | tail -1 | cut -f 2-) || return 0
  ask "$id" "$file" "$program" "$(sed 's/[][,\\]/\\&/g' <<<"$name")"
}

say "The mutants"
echo "| id | file | fault | result | s |"
echo "|---|---|---|---|---|"
declare -A count
wrong=()
while IFS=$'\t' read -r -u 3 id file programs what reason; do
  started=$SECONDS
  ask_first "$id" "$file"
  for program in $programs; do
    [ "$result" = survived ] || break
    ask "$id" "$file" "$program"
  done
  kind=${result%% *}
  [ "$kind" != killed ] || sed -n "s/^killed by \([a-z_]*\): /$id\t\1\t/p" <<<"$result" >>"$work/killers"
  if [ -n "$reason" ] && [ "$kind" = survived ]; then
    kind=equivalent
    result="equivalent: $reason"
  elif [ -n "$reason" ] || [ "$kind" != killed ]; then
    wrong+=("$id")
    result="**$result**${reason:+, though it is written down as equivalent}"
  fi
  count[$kind]=$((${count[$kind]:-0} + 1))
  echo "| $id | $file | $what | $result | $((SECONDS - started)) |"
done 3<<<"$selection"

say "$(wc -l <<<"$selection") mutants: ${count[killed]:-0} killed, ${count[equivalent]:-0} equivalent, ${#wrong[@]} not as they should be: ${wrong[*]:-none}"
[ "${#wrong[@]}" -eq 0 ]
