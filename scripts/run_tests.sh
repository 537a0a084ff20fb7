#!/usr/bin/env bash
# Runs every test program of a build folder and counts test cases over all of them. A program that dies, or that has no test
# at all, counts as one failure.
#   scripts/run_tests.sh build/release [ctest arguments]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$1
shift
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
mkdir "$results/programs"
status=0
GTEST_OUTPUT="xml:$results/programs/" ctest --test-dir "$build" --output-on-failure --no-tests=error --timeout 900 \
  --output-junit "$results/ctest.xml" "$@" || status=$?

python3 - "$results" "$status" <<'PY'
import pathlib, sys, xml.etree.ElementTree as tree

folder, status = pathlib.Path(sys.argv[1]), int(sys.argv[2])
passed = failed = skipped = 0
reported = set()
for path in (folder / "programs").glob("*.xml"):
    cases = list(tree.parse(path).getroot().iter("testcase"))
    if cases:
        reported.add(path.stem)
    for case in cases:
        if case.find("failure") is not None:
            failed += 1
        elif case.get("result") == "skipped" or case.find("skipped") is not None:
            skipped += 1
        elif case.get("status") == "run":
            passed += 1

summary = folder / "ctest.xml"
programs = list(tree.parse(summary).getroot().iter("testcase")) if summary.exists() else []
for program in programs:
    if program.get("name") not in reported:
        print(f"{program.get('name')}: no result of any test case")
        failed += 1
if passed + failed + skipped == 0 or (status != 0 and failed == 0):
    failed += 1
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
PY
