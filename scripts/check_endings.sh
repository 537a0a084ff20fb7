#!/usr/bin/env bash
# Ends runs of graphs/train.json in every way that is not the normal one, with the real program, and looks at what is left: the exit
# code, a report, the checkpoints. For what a test in one process cannot do: signals, closed pipes, folders that may not be written.
#
#   scripts/check_endings.sh [BINARY]        default: build/release/dflash-graph
#
# Exit code 0: all as promised; 1: some not; 2: no binary.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${1:-}"
work="$(mktemp -d)"
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT

python3 - "$binary" "$work" <<'PYTHON'
import json, os, pathlib, shutil, signal, subprocess, sys, time

binary, work = sys.argv[1], pathlib.Path(sys.argv[2])
SMALL = ["run.device=cpu", "batch.pack_length=384", "pack.num_anchors=16", "run.checkpoint.every=5"]
QUIET = ["run.evaluate=false"]
faults = 0


def command(name, steps, sets=(), more=()):
    line = [binary, "run", "graphs/train.json", "--run-dir", str(work / name)]
    for value in [*SMALL, f"run.steps={steps}", *sets]:
        line += ["--set", value]
    return line + list(more)


def tell(what, problems):
    global faults
    faults += bool(problems)
    print(f"  {what:<70} {'ok' if not problems else 'FAILED: ' + '; '.join(problems)}", flush=True)


def report(name):
    file = work / name / "report.json"
    return json.loads(file.read_text()) if file.exists() else {"outcome": {"code": "no report", "text": ""}, "errors": []}


def steps_of(name):
    return sorted(int(path.name[5:]) for path in (work / name / "checkpoints").glob("step-*"))


def unequal(what, found, expected):
    return [] if found == expected else [f"{what} {found!r} instead of {expected!r}"]


def wait_for_line(process, text):
    for line in process.stdout:
        if text in line:
            return
    raise SystemExit(f"the run ended before it said '{text}'")


def signalled(name, what, steps, sets, ready, pause, within):
    """Signals a run once `ready(process)` has returned, twice where `pause` is given."""
    process = subprocess.Popen(command(name, steps, sets), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    ready(process)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    if pause is not None:
        time.sleep(pause)
        process.send_signal(signal.SIGINT)
    process.stdout.read()
    code = process.wait()
    took = time.monotonic() - begin
    problems = unequal("exit code", code, 130) + unequal("outcome", report(name)["outcome"]["code"], 130)
    if took > within:
        problems.append(f"it took {took:.1f} s, allowed {within}")
    tell(f"{what} ({took:.1f} s)", problems)


def until_metrics(name):
    def wait(process):
        while not (work / name / "metrics.jsonl").exists():
            time.sleep(0.02)
    return wait


def until_directory(name):
    def wait(process):
        while not (work / name / "resolved.json").exists():
            time.sleep(0.02)
        time.sleep(0.5)
    return wait


print("signals")
signalled("once", "SIGINT in training: a checkpoint and a report", 100000, QUIET, until_metrics("once"), None, 10)
tell("  and a checkpoint of its last step", [] if steps_of("once") else ["there is none"])
signalled("twice", "SIGINT twice: at once, with a report", 100000, QUIET, until_metrics("twice"), 0.1, 5)
signalled("start", "SIGINT in the evaluation at the start", 100, [], until_directory("start"), None, 5)
tell("  and no step was made", unequal("text", report("start")["outcome"]["text"], "interrupted after step 0"))
signalled("end", "SIGINT in the evaluation at the end", 6, ['run.evaluate.at=["end"]'],
          lambda process: wait_for_line(process, "checkpoint of step 6"), None, 5)
tell("  and the checkpoint is kept", unequal("checkpoints", steps_of("end"), [5, 6]))
done = subprocess.run(command("end", 6, ['run.evaluate.at=["end"]', "run.evaluate.prompts=4"], ["--quiet", "--resume"]))
tell("  and a resume makes up for it", unequal("exit code", done.returncode, 0) +
     unequal("tau measured", "tau_after" in report("end").get("training", {}), True) +
     unequal("exported", (work / "end" / "export").exists(), True))

print("closed pipes")
pipe = f"{' '.join(repr(word) for word in command('head', 12, QUIET))} | head -1 >/dev/null; exit ${{PIPESTATUS[0]}}"
done = subprocess.run(["bash", "-c", pipe], stderr=subprocess.PIPE, text=True)
tell("run | head -1: goes on to its end", unequal("exit code", done.returncode, 0) + unequal("errors", done.stderr, "") +
     unequal("outcome", report("head")["outcome"]["code"], 0) + unequal("checkpoints", steps_of("head"), [10, 12]))
for words in (["list"], ["list", "--json"], ["inspect", "drafter_step"], ["schema"], ["graph", "graphs/train.json"],
              ["check", "graphs/train.json"], ["--help"], ["run", "--help"]):
    quoted = " ".join(repr(word) for word in [binary, *words])
    # The reader has gone before anything is written.
    done = subprocess.run(["bash", "-c", f"(sleep 0.3; {quoted}; echo $? >{work}/code) | true"], stderr=subprocess.PIPE, text=True)
    tell(f"{' '.join(words)} | true: ends quietly", unequal("exit code", (work / "code").read_text().strip(), "0") +
         unequal("errors", done.stderr, ""))
with open("/dev/full", "w") as full:
    done = subprocess.run([binary, "list"], stdout=full, stderr=subprocess.PIPE, text=True)
tell("list to a full disk: says so", unequal("exit code", done.returncode, 2) +
     ([] if "No space left" in done.stderr else [f"it says {done.stderr!r}"]))

print("divergence")
done = subprocess.run(command("nan", 12, [*QUIET, "drafter.lr=1e30"], ["--quiet"]), stderr=subprocess.PIPE, text=True)
tell("a learning rate of 1e30: fails by name, exports nothing", unequal("exit code", done.returncode, 1) +
     unequal("exported", (work / "nan" / "export").exists(), False) +
     ([] if "stage 'drafter' (step" in done.stderr else [f"it says {done.stderr!r}"]))

print("folders that refuse")
# Root may write anywhere, unless it gives that right up.
humble = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
locked = work / "locked"
locked.mkdir(mode=0o555)
done = subprocess.run(humble + command("locked/run", 5, QUIET, ["--quiet"]), stderr=subprocess.PIPE, text=True)
tell("a run directory that cannot be made: a plain error", unequal("exit code", done.returncode, 2) +
     ([] if "cannot be made" in done.stderr else [f"it says {done.stderr!r}"]))
subprocess.run(command("frozen", 5, QUIET, ["--quiet"]), check=True)
before = {path: path.stat().st_mtime_ns for path in (work / "frozen").rglob("*")}
for path in [work / "frozen", *(work / "frozen").rglob("*")]:
    path.chmod(path.stat().st_mode & 0o555)
done = subprocess.run(humble + command("frozen", 10, QUIET, ["--quiet", "--resume"]), stderr=subprocess.PIPE, text=True)
after = {path: path.stat().st_mtime_ns for path in (work / "frozen").rglob("*")}
tell("resume in a read-only run directory: a plain error", unequal("exit code", done.returncode, 2) +
     unequal("changed", before != after, False) + ([] if done.stderr.startswith("error: ") else [f"it says {done.stderr!r}"]))

print("all endings as promised" if not faults else f"{faults} endings are not as promised")
sys.exit(1 if faults else 0)
PYTHON
