#!/usr/bin/env bash
# Does what docs/write_a_stage.md says, in an empty folder: writes the files that it shows, runs its commands as they stand there, and
# compares what they print with what it says. What a plugin takes, all that is shown before the section "In this tree", has less than
# 60 lines. Needs build/release.
#   ```cpp file=NAME     a file
#   ```cpp append=NAME   more of it
#   ```sh                commands; all in one shell, so that a folder or a variable stays
#   ```text              what the commands just before it print; "..." stands for anything, on a line of its own for any lines
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DFLASH=$PWD

python3 - docs/write_a_stage.md "$work" <<'PY'
import pathlib, re, subprocess, sys

MOST_LINES, MOST_SECONDS = 59, 120
document, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder = work / "empty"
folder.mkdir()
text = document.read_text()
script, printed, lines = ["set -euo pipefail"], [], 0
for block in re.finditer(r"^```(\w+)(?: (file|append)=(\S+))?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
    language, how, name, content = block.groups()
    if language == "text":
        if not printed or printed[-1] is not None:
            sys.exit(f"write_a_stage: no commands stand before what is printed:\n{content}")
        printed[-1] = content
        continue
    if how:
        shown = work / f"shown{block.start()}"
        shown.write_text(content)
        script.append(f"cat {shown} {'>' if how == 'file' else '>>'}{folder / name}")
    elif language == "sh":
        script += [f"exec >{work}/printed{len(printed)} 2>&1", content]
        printed.append(None)
    else:
        sys.exit(f"write_a_stage: nothing is done with this block:\n{content}")
    if block.start() < text.index("\n## In this tree"):
        lines += content.count("\n")


def pattern_of(printed):
    """Lines to one regular expression; "..." stands for anything."""
    any_lines = r"(?:.*\n)*?"
    return "".join(any_lines if line == "..." else re.escape(line).replace(r"\.\.\.", ".*?") + r"\n" for line in printed.splitlines())


try:
    status = subprocess.run(["bash", "-c", "\n".join(script)], cwd=folder, timeout=MOST_SECONDS).returncode
except subprocess.TimeoutExpired:
    sys.exit(f"write_a_stage: the commands take longer than {MOST_SECONDS} s")
faults = []
for number, wanted in enumerate(printed):
    file = work / f"printed{number}"
    found = file.read_text() if file.exists() else "(not run)\n"
    if status != 0 and not (work / f"printed{number + 1}").exists():
        faults.append(f"these commands end with code {status} and print:\n{found}")
        break
    if wanted is not None and not re.fullmatch(pattern_of(wanted), found):
        faults.append(f"the document says that this is printed:\n{wanted}\nfound:\n{found}")
if lines > MOST_LINES:
    faults.append(f"{lines} lines are shown, at most {MOST_LINES}")
for fault in faults:
    print(f"write_a_stage: {fault}")
print(f"write_a_stage: {lines} lines to a plugin, {'all as it says' if not faults else f'{len(faults)} faults'}")
sys.exit(1 if faults else 0)
PY
