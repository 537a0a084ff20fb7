#!/usr/bin/env bash
# Runs graphs/train.json with planted delays, asks `whatif` about changes, makes them and compares: a prediction must be within 10 % of
# the run, and the replay of each run within 10 % of it. What is asked: a faster stage, more room, replicas, stages on a device.
# On a machine that does other work the runs differ among each other by more; then it asks again, three times in all.
#
#   scripts/check_whatif.sh [BINARY [DEVICE]]        default: build/release/dflash-graph sim:0
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${1:-}"
device=${2:-sim:0}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# run NAME SETTING...: a short run whose times are those that are planted.
run() {
  local name=$1
  shift
  local sets=(--set run.evaluate=false --set run.steps=40 --set run.checkpoint.every=1000 --set queue.min_ready=2)
  for setting in "$@"; do sets+=(--set "$setting"); done
  rm -rf "${folder:?}/$name"
  "$binary" run graphs/train.json --quiet --run-dir "$folder/$name" "${sets[@]}" >"$folder/out" 2>&1 || { cat "$folder/out"; return 1; }
}

# within PREDICTED_RUN OTHER_RUN: 0 where both hold.
within() {
  python3 - "$folder/predicted.json" "$folder/$1/report.json" <<'PY'
import json, sys
predicted, ran = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))["wall_s"]
error = predicted["predicted_wall_s"] / ran - 1
print(f"  recorded {predicted['wall_s']:.2f} s, replayed to {100 * predicted['baseline_error']:.1f} %; "
      f"predicted {predicted['predicted_wall_s']:.2f} s, ran {ran:.2f} s: {100 * error:+.1f} %; then: {predicted['verdict']['stage']}")
sys.exit(abs(error) > 0.1)
PY
}

# ask WHAT "SETTINGS BEFORE" "SETTINGS AFTER" OPTION...
ask() {
  local what=$1 before after
  read -r -a before <<<"$2"
  read -r -a after <<<"$3"
  shift 3
  echo "$what: whatif $*"
  for _ in 1 2 3; do
    run before "${before[@]}"
    run after "${after[@]}"
    if "$binary" whatif "$folder/before" --json "$@" >"$folder/answer"; then
      tail -1 "$folder/answer" >"$folder/predicted.json"
      within after && return
    fi
  done
  echo "  WRONG"
  failed=$((failed + 1))
}

delays="run.device=cpu target.inject.sleep_ms=150 target.inject.jitter=0.8 drafter.inject.sleep_ms=100 drafter.inject.jitter=0.8"
small="queue.capacity=2 $delays"
ask "the run itself" "$small" "$small"
ask "more room" "$small" "queue.capacity=12 $delays" --capacity queue=12
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
