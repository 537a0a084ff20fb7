#!/usr/bin/env bash
# Every source is as clang-format 19 writes it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' '*.js' | xargs -r clang-format-19 --dry-run -Werror
echo "format: clean"
