#!/usr/bin/env bash
# Kills a run of graphs/train.json (60 steps, a checkpoint every 10) with SIGKILL at random moments, resumes it until it is done,
# and compares its metrics.jsonl with that of a run nobody disturbed: the same lines, none lost, none doubled, but for times, and
# the same weights and optimiser moments at the end, bit for bit. Each
# resumed run may be killed again, and the evaluations at the start and the end are among the moments.
#
#   scripts/check_kill_resume.sh [MOMENTS] [BINARY]     default: 10 moments, build/release/dflash-graph
#
# SEED=... repeats the moments of an earlier call; DEVICE=cuda:0 or sim:0 is where the runs compute. Exit code 0: all equal; 1: a run differs or does not end; 2: no binary.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${2:-}"
moments="${1:-10}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

python3 - "$moments" "$binary" "$work" "${SEED:-}" <<'PYTHON'
import hashlib, json, os, pathlib, random, shutil, subprocess, sys, time

moments, binary, work = int(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
device = os.environ.get("DEVICE", "cpu")
seed = int(sys.argv[4]) if sys.argv[4] else random.randrange(10**6)
draw = random.Random(seed)
TIMES = ("tokens_per_s", "phase_s", "seconds", "plain_tokens_per_s", "speculative_tokens_per_s", "batch", "cost", "warnings")


def command(folder, resume):
    sets = ["run.steps=60", f"run.device={device}", "run.checkpoint.every=10", "run.evaluate.prompts=4", "run.evaluate.every=20",
            "run.evaluate.new_tokens=16", "batch.pack_length=384", "pack.num_anchors=16", "queue.order=random"]
    line = [binary, "run", "graphs/train.json", "--quiet", "--run-dir", str(folder)]
    for value in sets:
        line += ["--set", value]
    return line + (["--resume"] if resume else [])


def lines(folder):
    found = []
    for text in (folder / "metrics.jsonl").read_text().splitlines():
        line = json.loads(text)
        found.append({key: value for key, value in line.items() if key not in TIMES})
    return found


def training(folder):
    summary = json.loads((folder / "report.json").read_text())["training"]
    return {key: value for key, value in summary.items() if key not in TIMES}


def weights(folder):
    """Weights and moments of the newest checkpoint, byte by byte."""
    newest = max((folder / "checkpoints").glob("step-*"))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in (newest / "drafter").iterdir()}


def kill_and_resume(folder, delays):
    """Returns how often it was killed, or None where it failed by itself."""
    killed, resume = 0, False
    for delay in delays + [None]:
        process = subprocess.Popen(command(folder, resume))
        try:
            code = process.wait(timeout=delay)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            killed, resume = killed + 1, True
            continue
        return killed if code == 0 else None
    return None


begin = time.monotonic()
whole = work / "whole"
subprocess.run(command(whole, False), check=True)
duration = time.monotonic() - begin
print(f"undisturbed: {len(lines(whole))} lines in {duration:.1f} s; seed {seed}", flush=True)
faults = 0
for moment in range(moments):
    folder = work / f"killed-{moment}"
    delays = [draw.uniform(0.05, duration)]
    while draw.random() < 0.4:
        delays.append(draw.uniform(0.05, duration))
    killed = kill_and_resume(folder, delays)
    text = ", ".join(f"{delay:.2f} s" for delay in delays)
    if killed is None:
        verdict = "FAILED: a resumed run did not end by itself"
    elif lines(folder) != lines(whole):
        verdict = f"FAILED: metrics.jsonl differs ({len(lines(folder))} lines)"
    elif training(folder) != training(whole):
        verdict = f"FAILED: the summary differs: {training(folder)} instead of {training(whole)}"
    elif weights(folder) != weights(whole):
        verdict = "FAILED: the last checkpoint's weights or moments differ"
    else:
        verdict = "equal"
    shutil.rmtree(folder)
    faults += verdict != "equal"
    print(f"  killed after {text}: {verdict}", flush=True)
print(f"{moments - faults} of {moments} runs equal the undisturbed one")
sys.exit(1 if faults else 0)
PYTHON
