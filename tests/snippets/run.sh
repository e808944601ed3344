#!/usr/bin/env bash
# Compiles every C++ snippet of README.md and of the pages in docs/, one source file for each page; nothing is linked or run.
#   tests/snippets/run.sh <c++ compiler> <folder with leat.h> <scratch folder> [<folder with torch/torch.h>]
# Without LibTorch, pages that include leat/torch.h are left out.
set -euo pipefail
compiler=$1 generated=$2 work=$3 libtorch=${4:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
extract=$root/tests/snippets/extract.awk

failed=0
complain() {
  echo "$*" >&2
  failed=1
}

# The extractor itself: what it must refuse, and a fragment whose fault must show, at its place.
mkdir -p "$work"
refused() {
  printf '%b' "$1" >"$work/page.md"
  if awk -v page=page.md -f "$extract" "$work/page.md" >"$work/page.cpp" 2>"$work/error"; then
    complain "accepted: $1"
  elif ! grep -q "$2" "$work/error"; then
    complain "refused for another reason: $1: $(cat "$work/error")"
  fi
}
refused '```\nleat::DataLoader loader(images);\n```\n' 'page.md:2: this looks like C++'
refused '```text\n#include <leat.h>\n```\n' 'page.md:2: this looks like C++'
refused '<!-- C++ context:\nint x;\n-->\nProse.\n\n```cpp\n++x;\n```\n' 'page.md:1: no snippet follows'
refused '```cpp\nint x;\n' 'page.md:1: this is not closed'
compile() { "$compiler" -std=c++20 -fsyntax-only -I"$generated" ${libtorch:+-isystem "$libtorch" -idirafter "$libtorch/../../../.."} "$@"; }
printf '```cpp\nint x = 1;\nundeclared(x);\n```\n' >"$work/page.md"
awk -v page=page.md -f "$extract" "$work/page.md" | grep -v leat.h >"$work/page.cpp"
if compile "$work/page.cpp" 2>"$work/error" || ! grep -q 'page.md:3' "$work/error"; then
  complain "a snippet with a fault compiles, or its fault is not shown at its place: $(cat "$work/error")"
fi

snippets=0 pages=0
cd "$root"
for page in README.md $(find docs -name '*.md' | sort); do
  source=$work/$(basename "$page" .md).cpp
  awk -v page="$page" -f "$extract" "$page" >"$source" || { failed=1; continue; }
  count=$(sed -n 's|^// snippets: ||p' "$source")
  # Counted a second time, in another way: none is left out.
  fences=$(grep -cE '^ *``` *(cpp|c\+\+|C\+\+|cc|cxx|hpp)' "$page" || true)
  [ "$count" -eq "$fences" ] || complain "$page: $fences C++ blocks, and $count were compiled"
  [ "$count" -eq 0 ] && continue
  [ -z "$libtorch" ] && grep -q '^#include <leat/torch' "$source" && continue
  compile "$source" || { complain "$page: does not compile (see above)"; continue; }
  snippets=$((snippets + count)) pages=$((pages + 1))
done
[ "$snippets" -gt 0 ] || complain "there are no snippets in $root"
echo "$snippets snippets of $pages pages compiled"
exit "$failed"
