#!/usr/bin/env bash
# Whether the image kernels make the same bytes with NEON as here: builds digest.cpp for this machine and for AArch64,
# runs the latter emulated, and compares what they print. Takes half a minute.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in aarch64-linux-gnu-g++ qemu-aarch64-static; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 0; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s /usr/include/hwy "$work/hwy" # of headers alone, which are the same for all machines
mkdir "$work/leat"
ln -s "$PWD/datasets" "$PWD/loader" "$work/leat"

# As CMakeLists.txt has the library's image sources built, but for one instruction set: the best that the compiler may assume.
build() {
  "$1" -std=c++20 -O2 -ffp-contract=off -static -DHWY_COMPILE_ONLY_STATIC -DHWY_SHARED_DEFINE -DHWY_BROKEN_EMU128=0 \
    "-DHWY_DISABLED_TARGETS=(HWY_SCALAR|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV)" -I. "-I$work" \
    tests/neon/digest.cpp datasets/image/resample/resample_kernels.cpp datasets/image/pixels/kernels.cpp -o "$work/$2"
}
build g++ here
build aarch64-linux-gnu-g++ neon
"$work/here" >"$work/here.txt"
qemu-aarch64-static "$work/neon" >"$work/neon.txt"
diff "$work/here.txt" "$work/neon.txt" || {
  echo "the kernels above make other bytes with NEON (>) than here (<)" >&2
  exit 1
}
echo "$(wc -l <"$work/neon.txt") kernels make the same bytes with NEON"
