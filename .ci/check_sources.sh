#!/usr/bin/env bash
# Fails where the house has a hole: an include of a room or a folder above its own, a public header that includes an inside one,
# a name outside the namespace of its folder, a device header outside the folders for it, a test's name that would be lost on
# its way through CMake's lists, a comment that is too wide, or a word that the project has given up (words.txt).
# The rooms, lowest first: datasets, loader, transfer, parallel; bench, tools and tests see all. A header directly in a room is
# the room's face; what lies in a folder of it is inside, in namespace leat::detail. Only folders called torch hold public headers,
# which are included as leat/torch.h and leat/torch/..., and which leat.h does not include.
set -euo pipefail
cd "$(dirname "$0")/.."

bad=0
complain() {
  echo "$1" >&2
  bad=1
}

# rank PATH: sets `room` and `floor`, the place in the room. Sources of faces may include all that is inside.
rank() {
  case "$1" in
    datasets/*) room=0 ;;
    loader/*) room=1 ;;
    transfer/*) room=2 ;;
    parallel/*) room=3 ;;
    *) room=4 ;;
  esac
  case "$1" in
    datasets/base/*) floor=0 ;;
    datasets/io/* | datasets/combinators/* | loader/os/* | loader/samplers/* | parallel/store/* | parallel/host/*) floor=1 ;;
    datasets/image/* | loader/slots/*) floor=2 ;;
    datasets/formats/* | loader/workers/*) floor=3 ;;
    datasets/spec/*) floor=4 ;;
    loader/engine/* | transfer/prefetch/* | parallel/reduce/* | parallel/local/*) floor=4 ;;
    loader/sweep/* | transfer/host/* | transfer/*cuda/* | parallel/shared_memory/* | parallel/*gloo/* | parallel/*nccl/*) floor=5 ;;
    *) floor=6 ;;
  esac
}

# is_face PATH: whether it is a public header of a room.
is_face() {
  [[ $1 =~ ^(loader|datasets|transfer|parallel)/[a-z_0-9]+\.h$ ]]
}

while IFS=: read -r file line include; do
  target=${include#*\"}
  target=${target%\"*}
  case "$target" in
    leat/version.h) continue ;; # cmake/version.h.in
    leat/torch.h) target=parallel/torch/torch.h ;;
    leat/torch/*)
      target=${target#leat/torch/}
      [ -e "transfer/torch/$target" ] && target=transfer/torch/$target || target=parallel/torch/$target
      ;;
    leat/*) target=${target#leat/} ;;
    loader/* | datasets/* | transfer/* | parallel/*)
      case "$file" in
        tests/consumer/*) ;; # which has headers of such names of its own
        *) complain "$file:$line: the path to include is \"leat/$target\"" ;;
      esac
      ;;
  esac
  [ -e "$target" ] || complain "$file:$line: \"$target\" does not exist from the project's root"
  if is_face "$file" && ! is_face "$target"; then
    complain "$file:$line: a public header includes \"$target\", which is inside"
  fi
  rank "$file" && own_room=$room own_floor=$floor
  rank "$target"
  if ((own_room < room)) || { ((own_room == room && own_floor < floor)) && ! is_face "$target"; }; then
    complain "$file:$line: includes \"$target\", which is above it"
  fi
done < <(grep -rnE '^#include "' --include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh' \
  loader datasets transfer parallel examples bench tools tests)

while IFS= read -r file; do
  is_face "$file" && complain "$file: a public header's namespace is leat"
done < <(grep -rlE '^namespace leat::detail' --include='*.h' loader datasets transfer parallel || true)
while IFS= read -r file; do
  complain "$file: the namespace of what is inside a room is leat::detail"
done < <(grep -rlE '^namespace leat( |::[^d])' --include='*.h' loader/*/ datasets/*/ transfer/*/ parallel/*/ | grep -v '^[a-z]*/torch/' || true)

# Templates need no mark, nor does what is declared only.
while IFS=: read -r file line text; do
  is_face "$file" && complain "$file:$line: a public class is marked LEAT_EXPORT: $text"
done < <(awk '/^(class|struct) [A-Za-z]+( final)?( :|;| \{)/ && !/LEAT_EXPORT|;$|; *\/\// && last !~ /^template|^requires/ { print FILENAME ":" FNR ":" $0 } \
  { last = $0 }' loader/*.h datasets/*.h transfer/*.h parallel/*.h)

while IFS=: read -r file line _; do
  case "$file" in
    */cuda/* | */nccl/* | tests/cuda_fake/*) ;;
    *) complain "$file:$line: CUDA and NCCL headers belong into folders called cuda or nccl" ;;
  esac
done < <(grep -rnE '^#include <(cuda|nccl|cublas|nvtx|curand)' loader datasets transfer parallel examples bench tools tests || true)

while IFS=: read -r file line text; do
  case "$file" in
    */cuda/* | */nccl/* | */gloo/* | tests/catch2_v2/*) ;;
    *) complain "$file:$line: $text: the build picks a folder, the code does not ask" ;;
  esac
done < <(grep -rnE '^#[ ]*(if|ifdef|ifndef|elif)\b' --include='*.h' --include='*.cpp' --include='*.cu' \
  loader datasets transfer parallel examples bench tools tests || true)

while IFS=: read -r file line _; do
  complain "$file:$line: brackets and semicolons in a test's name hide it, and those after it, from CTest"
done < <(grep -rnE '(TEST_CASE|LEAT_LOADER_TEST)\([^"]*"[^"]*[][;]' tests || true)

# Comments are wrapped by hand, since clang-format would join the lines of tables and lists.
while IFS=: read -r file line _; do
  complain "$file:$line: a comment is wider than 120 columns"
done < <(grep -rnE '^.{121,}$' --include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh' \
  loader datasets transfer parallel examples bench tools tests | grep -E '^[^:]+:[0-9]+: *//' || true)

# words.txt: an extended regular expression, a tab, and what to write instead. The rooms that keep to it:
worded=(loader datasets transfer parallel examples bench tools tests)
while IFS=: read -r file line text; do
  while IFS=$'\t' read -r word instead; do
    [[ $text =~ $word ]] && complain "$file:$line: '${BASH_REMATCH[0]}': write $instead"
  done <.ci/words.txt
done < <(grep -rnE -f <(cut -f1 .ci/words.txt) "${worded[@]}" || true)

[ "$bad" -eq 0 ] && echo "layers, headers, test names and words: clean"
exit "$bad"
