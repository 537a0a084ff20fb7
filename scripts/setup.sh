#!/usr/bin/env bash
# Installs all that the build needs: Debian packages, and LibTorch from its PyPI wheel. Safe to repeat; what is there is left
# alone, and once everything is there no network is asked.
set -euo pipefail

readonly TORCH_VERSION=2.11.0
readonly CUDART_VERSION=13.0.96
readonly CUPTI_VERSION=13.0.85
readonly CACHE="${DFLASH_CACHE:-$HOME/.cache/dflash-graph}"
readonly LIBTORCH="$CACHE/libtorch-$TORCH_VERSION"
readonly PACKAGES=(
  g++ cmake ninja-build ccache mold pkg-config git unzip xz-utils python3 python3-pip ca-certificates
  libtbb-dev nlohmann-json3-dev libcli11-dev libfmt-dev libutf8proc-dev libpcre2-dev libxxhash-dev liblzma-dev
  libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev graphviz clang-format-19 clang-tidy-19
)

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

missing_packages() {
  local package
  for package in "${PACKAGES[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
  done
}

install_packages() {
  local missing
  missing=$(missing_packages)
  if [ -z "$missing" ]; then
    say "Debian packages: all ${#PACKAGES[@]} there"
    return
  fi
  command -v apt-get >/dev/null || fail "this is not a Debian system; install these yourself: $missing"
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null ||
      fail "packages are missing and only root can install them. Run: sudo apt-get install -y $missing"
    as_root=(sudo)
  fi
  say "Debian packages: installing $missing"
  "${as_root[@]}" apt-get update -qq || fail "the package lists could not be fetched; is there a network?"
  # shellcheck disable=SC2086
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    fail "apt-get could not install: $missing"
}

# pip of the system, or one that the user has on the path.
fetch_wheel() {
  local python=python3
  command -v pip3 >/dev/null || python=/usr/bin/python3
  say "fetching $1"
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$2" "$1" ||
    fail "$1 could not be fetched with pip; is there a network and a package index?"
}

unpack_libtorch() {
  if [ -f "$LIBTORCH/complete" ]; then
    say "LibTorch $TORCH_VERSION: there ($LIBTORCH)"
    return
  fi
  say "LibTorch $TORCH_VERSION: into $LIBTORCH (about 545 MB to fetch, 1.1 GB on disk)"
  mkdir -p "$CACHE"
  local work
  work=$(mktemp -d "$CACHE/unpacking.XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  mkdir "$work/wheels" "$work/tree"
  fetch_wheel "torch==$TORCH_VERSION" "$work/wheels"
  if ! { [ -e /usr/local/cuda/lib64/libcudart.so.13 ] && [ -e /usr/local/cuda/lib64/libcupti.so.13 ]; }; then
    fetch_wheel "nvidia-cuda-runtime==$CUDART_VERSION" "$work/wheels"
    fetch_wheel "nvidia-cuda-cupti==$CUPTI_VERSION" "$work/wheels"
  fi
  say "unpacking"
  local wheel
  for wheel in "$work"/wheels/*.whl; do
    case "$wheel" in
      */torch-*) unzip -q "$wheel" 'torch/lib/*' 'torch/include/*' 'torch/share/*' -d "$work/tree" ;;
      *) unzip -q -o "$wheel" 'nvidia/*' -d "$work/tree" ;;
    esac || fail "$wheel could not be unpacked; is the disk full?"
  done
  [ -f "$work/tree/torch/lib/libtorch_cpu.so" ] && [ -f "$work/tree/torch/include/ATen/core/Tensor.h" ] ||
    fail "the wheel of torch $TORCH_VERSION does not hold what was expected"
  touch "$work/tree/complete"
  rm -rf "$LIBTORCH"
  mv "$work/tree" "$LIBTORCH"
}

say "needs Debian 12, about 600 MB of downloads and 3 GB of disk the first time"
install_packages
unpack_libtorch
say "done"
