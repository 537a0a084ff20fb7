#!/usr/bin/env bash
# clang-tidy on the sources that a change touches: against its first parent, or against DFLASH_TIDY_BASE. Reads
# build/release/compile_commands.json. A source takes some ten seconds, one with LibTorch's headers a minute, so those come last,
# and none is begun after DFLASH_TIDY_SECONDS; how many were left out is said.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

base=${DFLASH_TIDY_BASE:-$(git rev-parse --verify --quiet HEAD~1 || git hash-object -t tree /dev/null)}
begun=$(mktemp)
trap 'rm -f "$begun"' EXIT
export begun deadline=$(($(date +%s) + ${DFLASH_TIDY_SECONDS:-1200}))

# check SOURCE: lints one source unless the time is up.
check() {
  [ "$(date +%s)" -lt "$deadline" ] || return 0
  echo "$1" >>"$begun"
  # The compile commands are GCC's; what clang does not know of them does not matter here.
  clang-tidy-19 --quiet -p build/release --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument \
    --extra-arg=-Wno-ignored-gch \
    "$1" 2>/dev/null
}
export -f check

# Prints those of the sources on stdin that this build compiles: the CUDA back end is not among them.
built() {
  local source
  while read -r source; do
    if grep -qF "/$source\"" build/release/compile_commands.json; then
      echo "$source"
    fi
  done
}

mapfile -t light < <(git diff --name-only --diff-filter=d "$base" -- 'framework/**.cpp' 'stages/data/**.cpp' | built)
mapfile -t heavy < <(git diff --name-only --diff-filter=d "$base" -- 'stages/**.cpp' ':!stages/data' | built)
files=("${light[@]}" "${heavy[@]}")
if [ "${#files[@]}" = 0 ]; then
  echo "tidy: nothing changed"
  exit 0
fi
# shellcheck disable=SC2016
if ! printf '%s\0' "${files[@]}" | xargs -0 -P 2 -n 1 bash -c 'check "$0"'; then
  echo "tidy: see above"
  exit 1
fi
echo "tidy: $(wc -l <"$begun") of ${#files[@]} changed sources checked, clean"
