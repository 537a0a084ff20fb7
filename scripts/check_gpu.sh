#!/usr/bin/env bash
# What a build with CUDA must do on a GPU, by the default graph: the CPU's losses, no waiting of the host, memory flat after
# warm-up, device time booked to the stage that launched it. Usage: scripts/check_gpu.sh [PROGRAM] [FOLDER FOR RUNS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=${1:-build/cuda/dflash-graph}
runs=${2:-$(mktemp -d)}

train() {  # NAME SETTING...
  local name=$1 sets=()
  shift
  for setting in "$@"; do sets+=(--set "$setting"); done
  "$program" run graphs/train.json --quiet --force --run-dir "$runs/$name" --set run.evaluate=false "${sets[@]}"
}
train cpu run.device=cpu run.steps=20
# A queue that is full within the first steps, so that the memory of what it holds is among the warm-up.
train gpu20 run.device=cuda:0 run.precision=fp32 run.steps=20 queue.capacity=4 queue.min_ready=1
train gpu60 run.device=cuda:0 run.precision=fp32 run.steps=60 queue.capacity=4 queue.min_ready=1
train target_slow run.device=cuda:0 run.steps=40 target.inject.gpu_sleep_ms=100
train drafter_slow run.device=cuda:0 run.steps=40 drafter.inject.gpu_sleep_ms=100
train guarded run.device=cuda:0 run.steps=60 extract.nan_guard=true
train inline run.device=cuda:0 run.steps=60 postprocess.mode=inline

python3 - "$runs" <<'PY'
import json, pathlib, sys

runs = pathlib.Path(sys.argv[1])
report = {run.name: json.loads((run / "report.json").read_text()) for run in runs.iterdir() if (run / "report.json").exists()}
faults = 0

def show(ok, text):
    global faults
    faults += not ok
    print(f"{'ok  ' if ok else 'FAIL'} {text}")

def losses(run):
    return [json.loads(line)["loss"] for line in (runs / run / "metrics.jsonl").read_text().splitlines() if '"loss"' in line]

def stage(run, name):
    return next(s for s in report[run]["stages"] if s["name"] == name)

cpu, gpu = losses("cpu"), losses("gpu20")
worst = max(abs(a - b) / abs(a) for a, b in zip(cpu, gpu))
show(len(cpu) == len(gpu) == 20 and worst <= 1e-4, f"20 losses in fp32 equal the CPU's: at most {worst:.2e} apart (limit 1e-4)")
device = {name: r["devices"][0] for name, r in report.items() if r["devices"]}
show(device["gpu60"]["host_waits"] == 0, f"host waits in 60 steps: {device['gpu60']['host_waits']}")
guard = stage("guarded", "extract")["firings"]
show(device["guarded"]["host_waits"] == guard, f"the NaN guard's host waits, one a firing: {device['guarded']['host_waits']} of {guard}")
show(device["gpu60"]["allocations"] == device["gpu20"]["allocations"],
     f"allocations in 20 steps {device['gpu20']['allocations']}, in 60 steps {device['gpu60']['allocations']}")
show(device["gpu60"]["memory_high_bytes"] <= 1.05 * device["gpu20"]["memory_high_bytes"],
     f"memory in 20 steps {device['gpu20']['memory_high_bytes'] / 1e6:.1f} MB, in 60 {device['gpu60']['memory_high_bytes'] / 1e6:.1f} MB")
for name in ("target", "drafter"):
    run = f"{name}_slow"
    slow = stage(run, name)
    mean = 1e3 * slow["gpu_span_s"] / slow["firings"]
    reader = {"target": "extract", "drafter": "postprocess"}[name]
    body = 1e3 * stage(run, reader)["busy_s"] / stage(run, reader)["firings"]
    # The drafter's launches fill the stream's queue behind the delay, so its body waits with them: that must not look like a slow launch.
    show(mean >= 100 and report[run]["verdict"]["stage"] == name and report[run]["verdict"]["kind"] == "gpu span",
         f"{run}: span of '{name}' {mean:.1f} ms; verdict {report[run]['verdict']['stage']}, {report[run]['verdict']['kind']}")
    show(body < 10, f"{run}: the body of '{reader}', which takes its results, is busy {body:.2f} ms")
for name, d in device.items():
    r = report[name]
    show(d["busy_s"] <= 1.001 * r["wall_s"], f"{name}: device busy {d['busy_s']:.3f} of {r['wall_s']:.3f} s, overlap {d['span_s'] / d['busy_s']:.2f}, "
         f"host waits {d['host_waits']}")
    bad = [c["name"] for c in r["self_checks"] if not c["ok"]]
    show(not bad, f"{name}: {len(r['self_checks'])} self-checks hold" + (f", but {bad}" if bad else ""))
    for s in r["stages"]:
        if s["gpu_span_s"] is not None:
            n = max(s["firings"], 1)
            print(f"       {s['name']}: launch {1e3 * s['launch_s'] / n:.2f} queued {1e3 * s['gpu_queue_s'] / n:.2f} span {1e3 * s['gpu_span_s'] / n:.2f} ms")
print("all hold" if faults == 0 else f"{faults} do not hold")
sys.exit(faults != 0)
PY
