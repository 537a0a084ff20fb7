#!/usr/bin/env bash
# Builds the fuzzers (preset fuzz, clang 19: scripts/setup.sh --checks) and lets each look for SECONDS, as many at once as there are
# cores, or DFLASH_FUZZ_JOBS. Starts from the committed corpus and from what earlier runs here have kept. Fails on any finding: its
# input lies in build/fuzz/findings, and build/fuzz/NAME_fuzz INPUT shows it again.
#   scripts/fuzz.sh [SECONDS, 60] [NAME...]    the names are the folders of tests/fuzz/corpus; none: all
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
[[ "$seconds" =~ ^[1-9][0-9]*$ ]] || { echo "fuzz: found '$seconds', allowed: seconds, at least 1" >&2; exit 2; }
names=("${@:2}")
[ "${#names[@]}" != 0 ] || mapfile -t names < <(ls tests/fuzz/corpus)

cmake --preset fuzz --log-level=WARNING >/dev/null
cmake --build --preset fuzz "-j${DFLASH_FUZZ_JOBS:-$(nproc)}"

export build=build/fuzz seconds
export UBSAN_OPTIONS="print_stacktrace=1:suppressions=$PWD/cmake/suppressions/ubsan.txt"
export ASAN_OPTIONS="allow_addr2line=1"  # names functions where there is no llvm-symbolizer
export LSAN_OPTIONS="suppressions=$PWD/cmake/suppressions/lsan.txt:print_suppressions=0"
# Files that are read a thousand times a second had better not be on a disk.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
mkdir -p "$build/findings"

# look NAME: one fuzzer; what it says goes to a log, of which the last lines are shown where it found something.
look() {
  local name=$1 log="$build/$1_fuzz.log"
  mkdir -p "$build/corpus/$name"
  if "$build/${name}_fuzz" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -max_len=16384 -dict=tests/fuzz/words.dict \
    -print_final_stats=1 -artifact_prefix="$build/findings/$name-" "$build/corpus/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
    echo "fuzz: $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s, nothing found"
  else
    echo "fuzz: $name: found something"
    tail -n 60 "$log"
    return 1
  fi
}
export -f look

# shellcheck disable=SC2016
if ! printf '%s\0' "${names[@]}" | xargs -0 -P "${DFLASH_FUZZ_JOBS:-$(nproc)}" -n 1 bash -c 'look "$0"'; then
  echo "fuzz: see above"
  exit 1
fi
echo "fuzz: clean"
