#!/usr/bin/env bash
# Makes the C++ reference of the public headers, build/docs/index.html, with Doxygen. Fails where Doxygen finds a public name
# without a comment, or a mistake in one, in a room that is complete.
set -euo pipefail
cd "$(dirname "$0")/.."

rooms=(loader datasets transfer parallel)
complete=(loader datasets transfer parallel torch torch.h version.h) # in these, a warning is an error
output=$PWD/build/docs
include=$output/include
warnings=$output/warnings.txt

command -v doxygen >/dev/null || {
  echo "There is no doxygen; tools/install-deps.sh --ci installs it" >&2
  exit 1
}

# The faces, at the paths by which a program includes them.
rm -rf "$output"
for room in "${rooms[@]}"; do
  mkdir -p "$include/leat/$room"
  cp "$room"/*.h "$include/leat/$room"
done
mkdir -p "$include/leat/torch"
cp transfer/torch/*.h parallel/torch/*.h "$include/leat/torch"
mv "$include/leat/torch/torch.h" "$include/leat/torch.h"
version=$(sed -nE 's/^project\(leat VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
IFS=. read -r major minor patch <<<"$version"
sed -e "s/@PROJECT_VERSION@/$version/; s/@PROJECT_VERSION_MAJOR@/$major/" \
  -e "s/@PROJECT_VERSION_MINOR@/$minor/; s/@PROJECT_VERSION_PATCH@/$patch/" cmake/version.h.in >"$include/leat/version.h"

# One run over all rooms, so that they refer to each other. Its warnings are sorted here: Doxygen's FAIL_ON_WARNINGS knows
# no exceptions.
doxygen - <<END
@INCLUDE            = docs/Doxyfile
PROJECT_NUMBER      = $version
INPUT               = $include docs/reference.dox
STRIP_FROM_PATH     = $include
STRIP_FROM_INC_PATH = $include
OUTPUT_DIRECTORY    = $output
WARN_LOGFILE        = $warnings
END

sed -i "s|^$include/leat/||" "$warnings"
sort -u -t: -k1,1 -k2,2n -k3 -o "$warnings" "$warnings"
if grep -E "^($(IFS='|' && echo "${complete[*]}"))[/:]|^[^:]*reference.dox" "$warnings" >&2; then exit 1; fi
echo "build/docs/index.html; ${complete[*]}: every public name is described; elsewhere $(wc -l <"$warnings") warnings"
