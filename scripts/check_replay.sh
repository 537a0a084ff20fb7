#!/usr/bin/env bash
# Records a short run of graphs/train.json, then runs its stages alone from the recordings. Recording must not change a loss; each
# stage alone must give byte for byte what it gave in the run, and the drafter alone the same losses.
#
#   scripts/check_replay.sh [BINARY [DEVICE]]       default: build/release/dflash-graph cpu
#
# Exit code 0: all the same; 1: something differs; 2: no binary.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${1:-}"

steps=12
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
graph=(graphs/train.json --quiet --set "run.device=${2:-cpu}" --set "run.steps=$steps" --set run.evaluate=false --set run.checkpoint.every=0)

# Prints step and loss of each step of a run.
losses() {
  python3 - "$work/$1/metrics.jsonl" <<'PYTHON'
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    print(row["step"], repr(row["loss"]), repr(row["grad_norm"]))
PYTHON
}

failures=0
# same WHAT COMMAND...: prints a line, and counts where the command fails.
same() {
  local what="$1"
  shift
  if "$@"; then
    printf '%-42s the same\n' "$what"
  else
    printf '%-42s differs\n' "$what"
    failures=$((failures + 1))
  fi
}
same_losses() { [ "$(losses "$1" | wc -l)" = "$steps" ] && [ "$(losses "$1")" = "$(losses "$2")" ]; }

# replay STAGE FROM [RECORDED PORT]
replay() {
  local record=()
  [ -z "${3:-}" ] || record=(--record "$3" --record-items "$steps")
  "$binary" replay "${graph[@]}" "$1" --from "$work/$2" --run-dir "$work/$1" "${record[@]}"
}

"$binary" run "${graph[@]}" --run-dir "$work/plain"
ports=(batch.packs target.taps extract.features pack.batches queue.out drafter.metrics)
"$binary" run "${graph[@]}" --run-dir "$work/recorded" --record-items "$steps" "${ports[@]/#/--record=}"
same "losses of a run that is recorded" same_losses plain recorded

# Not the queue: its firings put and pop, in an order that is a matter of time, and items carry their numbers.
for pair in target:target.taps extract:extract.features pack:pack.batches; do
  stage="${pair%%:*}" port="${pair#*:}"
  replay "$stage" recorded "$port"
  same "items of '$port' from '$stage' alone" cmp "$work/recorded/recordings/$port.items" "$work/$stage/recordings/$port.items"
done
replay drafter recorded drafter.metrics
replay postprocess drafter
same "losses of 'drafter' alone" same_losses recorded postprocess

[ "$failures" = 0 ] && echo "replay: clean" || { echo "replay: $failures differ"; exit 1; }
