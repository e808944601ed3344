#!/usr/bin/env bash
# Installs what leat builds with from the distribution's packages (Debian 12, Ubuntu 24.04). Does nothing, and needs no
# network and no rights, where everything is there already. CUDA and NCCL are used where they are, never installed.
#   tools/install-deps.sh          to build and test
#   tools/install-deps.sh --torch  also LibTorch (for the CPU), for leat::torch
#   tools/install-deps.sh --ci     also LibTorch, and what .ci/run checks with: clang, clang-format, clang-tidy, spin, doxygen; a compiler for AArch64, qemu
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache pkg-config
  libfmt-dev libjpeg-dev libpng-dev libhwy-dev zlib1g-dev libzstd-dev libisal-dev libxxhash-dev libdlpack-dev libgloo-dev
  libcli11-dev nlohmann-json3-dev libopenblas-openmp-dev libtbb-dev
  libbenchmark-dev catch2
  ca-certificates tar zstd
)
[[ ${1:-} == --ci || ${1:-} == --torch ]] && packages+=(libtorch-dev)
[ "${1:-}" = "--ci" ] &&
  packages+=(clang-19 clang-tidy-19 clang-format-14 libclang-rt-19-dev spin doxygen g++-aarch64-linux-gnu qemu-user-static)

missing=()
for package in "${packages[@]}"; do
  # By its own name: a package that another one provides would count as missing. All of these are real ones.
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "These packages are missing, and there is no sudo to install them with: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } \
  >"$log" 2>&1; then
  cat "$log" >&2
  echo "The packages above could not be installed; install them by hand, or try again with a network." >&2
  exit 1
fi
