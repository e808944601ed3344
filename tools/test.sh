#!/usr/bin/env bash
# Install what is missing, build everything, run every test. Further arguments go to ctest: tools/test.sh -L unit
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 # what one clone has compiled serves the others
export CCACHE_SLOPPINESS=pch_defines,time_macros # what it cannot see in precompiled headers: ours are of the system

say() { printf '\n== %s\n' "$*"; }

preset=${LEAT_PRESET:-release}
say "Looking for the packages leat builds with"
tools/install-deps.sh
say "Configuring and building (build/$preset)"
cmake --preset "$preset" -DLEAT_BUILD_TESTS=ON -DLEAT_BUILD_BENCH=ON ${LEAT_CMAKE_ARGS:-}
cmake --build --preset "$preset"
say "Running the tests (those with the label gpu skip themselves where there is no GPU)"
ctest --preset "$preset" -j "$(nproc)" "$@"
