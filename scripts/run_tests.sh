#!/usr/bin/env bash
# Runs every test program of a build folder and counts test cases over all of them.
#   scripts/run_tests.sh build/release [ctest arguments]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$1
shift
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
status=0
GTEST_OUTPUT="xml:$results/" ctest --test-dir "$build" --output-on-failure --no-tests=error "$@" || status=$?

python3 - "$results" "$status" <<'PY'
import glob, sys, xml.etree.ElementTree as tree
folder, status = sys.argv[1], int(sys.argv[2])
run = failed = skipped = 0
for path in glob.glob(folder + "/*.xml"):
    for case in tree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None:
            failed += 1
        elif case.get("result") == "skipped" or case.find("skipped") is not None:
            skipped += 1
        elif case.get("status") == "run":
            run += 1
if status != 0 and failed == 0:
    failed = 1  # a program that died before it could say which test
if run + failed == 0:
    failed = 1
print(f"{run} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
PY
