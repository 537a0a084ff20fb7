#!/usr/bin/env bash
# From a fresh clone to a trained drafter: set-up, release build, graphs/train.json, summary, path of the report.
# Arguments go to `dflash-graph run graphs/train.json`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
echo "quickstart: building build/release/dflash-graph"
cmake --preset release -DDFLASH_TESTS=OFF -DDFLASH_BENCH=OFF --log-level=WARNING
cmake --build --preset release --target dflash-graph
exec build/release/dflash-graph run graphs/train.json "$@"
