#!/usr/bin/env bash
# Set-up, release build, all tests. The last line counts the test cases: "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
cmake --preset release -DDFLASH_TESTS=ON -DDFLASH_BENCH=ON --log-level=WARNING
cmake --build --preset release
scripts/run_tests.sh build/release "$@"
