#!/usr/bin/env bash
# The main job, on a fresh machine: install what is missing, build, make 2,000 images, find the number of workers
# that feeds this machine best, and train a classifier on two replicas.
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 # what one clone has compiled serves the others
export CCACHE_SLOPPINESS=pch_defines,time_macros # what it cannot see in precompiled headers: ours are of the system

say() { printf '\n== %s\n' "$*"; }

say "This takes some minutes the first time: most of them for the build"
say "Looking for the packages leat builds with"
tools/install-deps.sh
say "Configuring and building (build/release)"
cmake --preset release
cmake --build --preset release --target leat-sweep leat-train

bin=build/release/bin
export LEAT_CACHE_DIR=${LEAT_CACHE_DIR:-$PWD/build/demo-data}
say "Measuring how fast the images load with 0, 1, 2 and 4 worker processes (generates 2,000 of them first, once)"
"$bin/leat-sweep" --data synthetic:2000 --num-workers 0,1,2,4 --batch-size 64 --image-size 64 --seconds 5
say "Training a classifier on two data-parallel replicas"
cat <<'END'
  loss               of the training images; it falls
  accuracy           share of the training images that were classified rightly, before each step learned from them
  test accuracy      the same of images that are held back
  samples/s          images that all replicas train on
  waited for data    share of the time in which a replica waited for the loader: the lower the better
END
"$bin/leat-train" --data synthetic:2000 --replicas 2 --num-workers auto
say "Done. The images are in $LEAT_CACHE_DIR; try: $bin/leat-train --help"
