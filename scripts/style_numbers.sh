#!/usr/bin/env bash
# Lengths of files and functions (median, 90th percentile, greatest) and what breaks the size rules of CONTRIBUTING.md.
# Functions need universal-ctags. Reports; fails only where a rule is broken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python3 - <<'PY'
import json, shutil, statistics, subprocess, sys

MOST_FILE_LINES, MOST_FUNCTION_LINES, MOST_KERNEL_LINES = 300, 60, 120
files = subprocess.check_output(["git", "ls-files", "framework/**", "stages/**"], text=True).splitlines()
files = [file for file in files if file.endswith((".h", ".cpp", ".cu", ".cuh"))]
faults = []


def show(what, lengths):
    lengths = sorted(lengths)
    p90 = lengths[min(len(lengths) - 1, len(lengths) * 9 // 10)]
    print(f"{what}: {len(lengths)}, median {statistics.median(lengths):g}, p90 {p90}, greatest {lengths[-1]}")


file_lines = {file: sum(1 for _ in open(file, encoding="utf-8")) for file in files}
show("file lines", file_lines.values())
faults += [f"{file}: {lines} lines, at most {MOST_FILE_LINES}" for file, lines in file_lines.items() if lines > MOST_FILE_LINES]

code = comment = 0
for file in files:
    for line in open(file, encoding="utf-8"):
        text = line.strip()
        if text.startswith("//"):
            comment += 0 if text.startswith("// SPDX") else 1
        elif text:
            code += 1
print(f"comment to code: {comment / code:.2f}")

ctags = shutil.which("ctags-universal") or shutil.which("ctags")
if ctags is None:
    print("function lines: not counted, universal-ctags is not there")
else:
    output = subprocess.run([ctags, "--output-format=json", "--fields=+ne", "--kinds-c++=f", "--langmap=c++:+.cu.cuh", "-f", "-", *files],
                            check=True, capture_output=True, text=True).stdout
    functions = [json.loads(line) for line in output.splitlines()]
    lengths = {(f["path"], f["line"], f["name"]): f["end"] - f["line"] + 1 for f in functions if "end" in f}
    show("function lines", lengths.values())
    for (path, line, name), length in lengths.items():
        most = MOST_KERNEL_LINES if path.endswith(".cu") else MOST_FUNCTION_LINES
        if length > most:
            faults.append(f"{path}:{line}: {name} has {length} lines, at most {most}")

for fault in faults:
    print(f"style: {fault}")
sys.exit(1 if faults else 0)
PY
