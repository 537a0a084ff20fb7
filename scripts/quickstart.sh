#!/usr/bin/env bash
# From a fresh clone to a trained drafter: set-up, release build, graphs/train.json, summary, path of the report.
# Arguments go to `dflash-graph run graphs/train.json`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
cmake --preset release -DDFLASH_TESTS=OFF -DDFLASH_BENCH=OFF >build-configure.log 2>&1 ||
  { cat build-configure.log; rm -f build-configure.log; exit 1; }
rm -f build-configure.log
cmake --build --preset release --target dflash-graph
exec build/release/dflash-graph run graphs/train.json "$@"
