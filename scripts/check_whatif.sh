#!/usr/bin/env bash
# Runs graphs/train.json with planted delays, asks `whatif` about changes, makes them and compares: a prediction must be within 10 % of
# the run, and the replay of each run within 10 % of it. What is asked: a faster stage, more room, replicas, stages on a device, each
# with a change that is worth 40 % or more: a prediction of none would be wrong.
# On a machine that does other work the runs differ among each other by more; then it asks again, three times in all.
#
#   scripts/check_whatif.sh [BINARY [DEVICE]]        default: build/release/dflash-graph sim:0
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${1:-}"
device=${2:-sim:0}
# Else the first launch of each kernel loads it, and waits for all that runs on the device: seconds of a short run.
export CUDA_MODULE_LOADING=EAGER
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# run NAME SETTING...: a short run whose times are those that are planted.
run() {
  local name=$1
  shift
  local sets=(--set run.evaluate=false --set run.steps=40 --set run.checkpoint.every=1000 --set queue.min_ready=2)
  for setting in "$@"; do
    case $setting in
      overlay:*) sets+=(--overlay "${setting#overlay:}") ;;
      *) sets+=(--set "$setting") ;;
    esac
  done
  rm -rf "${folder:?}/$name"
  "$binary" run graphs/train.json --quiet --run-dir "$folder/$name" "${sets[@]}" >"$folder/out" 2>&1 || { cat "$folder/out"; return 1; }
}

# within LEAST_WORTH: 0 where the prediction holds, and the change is worth as much (1.4: 40 % more speed).
within() {
  python3 - "$folder/predicted.json" "$folder/before/report.json" "$folder/after/report.json" "$1" <<'PY'
import json, sys
predicted = json.load(open(sys.argv[1]))
before, after = (json.load(open(report))["wall_s"] for report in sys.argv[2:4])
error = predicted["predicted_wall_s"] / after - 1
print(f"  recorded {predicted['wall_s']:.2f} s, replayed to {100 * predicted['baseline_error']:.1f} %; "
      f"predicted {predicted['predicted_wall_s']:.2f} s, ran {after:.2f} s ({before / after:.2f} times as fast): {100 * error:+.1f} %; "
      f"then: {predicted['verdict']['stage']}")
sys.exit(abs(error) > 0.1 or before / after < float(sys.argv[4]))
PY
}

# ask WHAT "SETTINGS BEFORE" "SETTINGS AFTER" OPTION...
ask() {
  local what=$1 before after worth=1.4
  [ "$2" = "$3" ] && worth=0
  read -r -a before <<<"$2"
  read -r -a after <<<"$3"
  shift 3
  echo "$what: whatif $*"
  for _ in 1 2 3; do
    run before "${before[@]}"
    run after "${after[@]}"
    if "$binary" whatif "$folder/before" --json "$@" >"$folder/answer"; then
      tail -1 "$folder/answer" >"$folder/predicted.json"
      within "$worth" && return
    fi
  done
  echo "  WRONG"
  failed=$((failed + 1))
}

delays="run.device=cpu target.inject.sleep_ms=150 target.inject.jitter=0.8 drafter.inject.sleep_ms=100 drafter.inject.jitter=0.8"
small="queue.capacity=2 $delays"
ask "the run itself" "$small" "$small" --speedup drafter=1
# On a device, what is inside an edge keeps its place until the device is done with it: with one place, `batch` and `target` take turns.
for places in 1 4; do
  python3 - "$folder/before/resolved.json" "$folder/room_$places.json" "$places" <<'PY'
import json, sys
edges = json.load(open(sys.argv[1]))["graph"]["edges"]
edge = next(edge for edge in edges if edge["from"] == "batch.packs")
edge["capacity"]["items"] = int(sys.argv[3])
json.dump({"edges": edges}, open(sys.argv[2], "w"))
PY
done
turns="run.device=$device run.steps=20 batch.inject.sleep_ms=50 target.inject.gpu_sleep_ms=350 overlay:$folder"
ask "more room" "$turns/room_1.json" "$turns/room_4.json" --capacity "batch.packs->target.packs=4"
slow="extract.inject.sleep_ms=600 extract.inject.jitter=0.5 $small"
fast="extract.inject.sleep_ms=300 extract.inject.jitter=0.5 $small"
ask "a faster stage" "$slow" "$fast" --speedup extract=2
ask "replicas" "$slow" "$slow extract.replicas=3" --replicas extract=3
on_device="run.device=$device queue.capacity=2 target.inject.gpu_sleep_ms=200 drafter.inject.gpu_sleep_ms=400"
ask "stages on a device" "$on_device" "$on_device drafter.inject.gpu_sleep_ms=100" --speedup drafter=4

launching="run.device=$device queue.capacity=2 extract.inject.jitter=0.5"
ask "a faster launch" "$launching extract.inject.sleep_ms=200" "$launching extract.inject.sleep_ms=100" --speedup extract=2

[ "$failed" = 0 ] || { echo "$failed wrong"; exit 1; }
echo "what-if: 6 predictions within 10 % of what was run"
