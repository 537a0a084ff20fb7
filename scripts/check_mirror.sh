#!/usr/bin/env bash
# Tests mirror the tree: tests/a/b/c_test.cpp tests a/b/c.{h,cpp,cu}, and every source has such a test. Sources whose promise is
# tested elsewhere stand in scripts/mirror_exceptions.txt, each with the place. Two folders are ordered otherwise: tests/framework/pitfalls
# by what goes wrong in such engines, tests/fuzz by what is read, with tests/fuzz/corpus/NAME beside NAME_fuzz.cpp.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python3 - <<'PY'
import pathlib, re, subprocess, sys

files = set(subprocess.check_output(["git", "ls-files", "--cached", "--others", "--exclude-standard"], text=True).splitlines())
files = {file for file in files if pathlib.Path(file).exists()}
faults = []

exceptions = {}
for line in pathlib.Path("scripts/mirror_exceptions.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        source, _, test = line.partition(" ")
        exceptions[source] = test.strip()

sources = {file for file in files if file.split("/")[0] in ("framework", "stages") and file.endswith((".cpp", ".cu"))}
stems = {file.rsplit(".", 1)[0] for file in files if file.endswith((".h", ".cpp", ".cu"))}
tests = {file[len("tests/"):-len("_test.cpp")] for file in files if file.startswith("tests/") and file.endswith("_test.cpp")}

for source in sorted(sources):
    tested = source.rsplit(".", 1)[0] in tests
    if not tested and source not in exceptions:
        faults.append(f"{source}: no tests/{source.rsplit('.', 1)[0]}_test.cpp")
    if tested and source in exceptions:
        print(f"mirror: note: {source} has a test, so it needs no line in scripts/mirror_exceptions.txt")
named = {test[len("tests/"):-len("_test.cpp")] for test in exceptions.values()}  # tests of several sources at once
by_pitfall = {test for test in tests if test.startswith("framework/pitfalls/")}
for test in sorted(tests - stems - named - by_pitfall):
    faults.append(f"tests/{test}_test.cpp: tests nothing, there is no {test}.h or .cpp")
for source, test in sorted(exceptions.items()):
    if source not in sources:
        faults.append(f"scripts/mirror_exceptions.txt: there is no {source}")
    if not test or not pathlib.Path(test).exists():
        faults.append(f"scripts/mirror_exceptions.txt: {source}: there is no '{test}' that tests it")

fuzzers = {file[len("tests/fuzz/"):-len("_fuzz.cpp")] for file in files if re.fullmatch(r"tests/fuzz/\w+_fuzz\.cpp", file)}
corpora = {file.split("/")[3] for file in files if file.startswith("tests/fuzz/corpus/")}
for name in sorted(fuzzers ^ corpora):
    faults.append(f"tests/fuzz: '{name}' has {'no corpus' if name in fuzzers else 'a corpus, but no fuzzer'}")

# What the documents point to is there.
for document in sorted(file for file in files if file.endswith(".md")):
    for number, line in enumerate(pathlib.Path(document).read_text().splitlines(), 1):
        for name in re.findall(r"`((?:framework|stages|scripts|tests|bench|graphs|configs|docs|cmake)/[\w./-]+\.\w+)`", line):
            if "NAME" not in name and "/a/b/" not in name and not pathlib.Path(name).exists():
                faults.append(f"{document}:{number}: there is no {name}")

for fault in faults:
    print(f"mirror: {fault}")
print(f"mirror: {'clean' if not faults else f'{len(faults)} faults'} ({len(sources)} sources, {len(exceptions)} exceptions)")
sys.exit(1 if faults else 0)
PY
