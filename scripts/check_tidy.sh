#!/usr/bin/env bash
# clang-tidy on the sources that a change touches (against its parent; DFLASH_TIDY_BASE names another). It reads
# build/release/compile_commands.json. Sources that need LibTorch's headers take long, so at most DFLASH_TIDY_MOST of those.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

base=${DFLASH_TIDY_BASE:-$(git rev-parse --verify --quiet HEAD~1 || git hash-object -t tree /dev/null)}
most=${DFLASH_TIDY_MOST:-10}
mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- 'framework/**.cpp' 'stages/**.cpp')
light=() heavy=()
for source in "${changed[@]}"; do
  case "$source" in
    framework/*|stages/data/*) light+=("$source") ;;
    *) [ "${#heavy[@]}" -lt "$most" ] && heavy+=("$source") ;;
  esac
done
files=("${light[@]}" "${heavy[@]}")
if [ "${#files[@]}" = 0 ]; then
  echo "tidy: nothing changed"
  exit 0
fi
printf '%s\n' "${files[@]}" | xargs -P 2 -n 4 clang-tidy-19 --quiet -p build/release --extra-arg=-Wno-unknown-warning-option \
  --extra-arg=-Wno-ignored-optimization-argument
echo "tidy: ${#files[@]} files clean"
