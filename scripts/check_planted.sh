#!/usr/bin/env bash
# Plants delays and faults into each stage of graphs/train.json and looks at what the report makes of them.
#   a stage that sleeps 300 ms: the verdict names it, states sum to the wall within 1 %, all self-checks hold;
#   a stage whose work takes 300 ms more on a device: the same, and the verdict calls it the device's time;
#   a stage that fails at its 7th firing: code 1 within seconds, stage, firing and cause named, report and checkpoint there.
#
#   scripts/check_planted.sh [BINARY [DEVICE]]        default: build/release/dflash-graph sim:0
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${1:-}"
device=${2:-sim:0}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# run NAME SETTING...: a short run without evaluation.
run() {
  local name=$1
  shift
  local sets=(--set run.evaluate=false)
  for setting in "$@"; do sets+=(--set "$setting"); done
  "$binary" run graphs/train.json --quiet --run-dir "$folder/$name" "${sets[@]}" >"$folder/$name.out" 2>&1
}

# slow STAGE KIND SETTING...: the verdict must name the stage (and the kind, unless that is "any").
slow() {
  local stage=$1 kind=$2 name="slow-$1-${2// /-}"
  shift 2
  # A short queue, or it would take the whole short run to fill.
  run "$name" queue.capacity=2 queue.min_ready=1 "$@" || true
  python3 - "$folder/$name/report.json" "$stage" "$kind" <<'PY' || failed=$((failed + 1))
import json, sys
report, stage, kind = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
faults = [check["name"] for check in report["self_checks"] if not check["ok"]]
wrong = [s["name"] for s in report["stages"] if abs(s["unaccounted_s"]) > 0.01 * s["slots"] * report["wall_s"]]
print(f"slow {stage}: {report['verdict']['text']}")
off = max(abs(s["unaccounted_s"]) / (s["slots"] * report["wall_s"]) for s in report["stages"])
print(f"  states within {100 * off:.3f} % of the wall; {len(report['self_checks']) - len(faults)} of {len(report['self_checks'])} laws hold")
verdict = report["verdict"]
if verdict["stage"] != stage or kind not in ("any", verdict["kind"]) or faults or wrong or report["outcome"]["code"] != 0:
    print(f"  WRONG: verdict names {verdict['stage']!r}, {verdict['kind']}; failed checks {faults}; states do not sum: {wrong}")
    sys.exit(1)
PY
}

for stage in data target pack queue drafter postprocess; do
  steps=12
  [ "$stage" = data ] && steps=2
  slow "$stage" any "run.steps=$steps" "$stage.inject.sleep_ms=300"
done
# On a GPU the first launch of each kernel loads it, which waits for all that runs there: enough steps for that not to count.
steps=12
[[ "$device" != sim:* ]] && steps=60
for stage in target pack drafter; do
  slow "$stage" "gpu span" "run.steps=$steps" "run.device=$device" "$stage.inject.gpu_sleep_ms=300"
done

for stage in data batch target extract pack queue drafter postprocess; do
  begun=$(date +%s)
  code=0
  run "fails-$stage" run.steps=20 run.checkpoint.every=2 "$stage.inject.throw_at=7" || code=$?
  took=$(($(date +%s) - begun))
  if ! python3 - "$folder/fails-$stage" "$stage" "$code" "$took" <<'PY'
import json, pathlib, sys
folder, stage, code, took = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
text = json.load(open(folder / "report.json"))["outcome"]["text"]
print(f"fails {stage}: code {code} after {took} s: {text}")
if code != 1 or took > 30 or f"stage '{stage}'" not in text or "7" not in text or "planted" not in text:
    sys.exit(1)
PY
  then echo "  WRONG"; failed=$((failed + 1)); fi
  if [ -n "$(ls "$folder/fails-$stage/checkpoints" 2>/dev/null)" ]; then
    sets=(--set run.evaluate=false --set run.steps=20 --set run.checkpoint.every=2)
    if ! "$binary" run graphs/train.json --quiet --run-dir "$folder/fails-$stage" --resume "${sets[@]}" >>"$folder/out" 2>&1; then
      echo "  WRONG: its checkpoint cannot be resumed"
      failed=$((failed + 1))
    fi
  fi
done

[ "$failed" = 0 ] || { echo "$failed wrong"; exit 1; }
echo "planted: 9 delays and 8 faults told as they were planted"
