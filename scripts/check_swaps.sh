#!/usr/bin/env bash
# Trains 30 steps of graphs/train.json unswapped and with each swap of the campaign. The loss of every step must stay
# within 1e-5 (relative) where a swap may not change numbers; the other swaps must run.
#
#   scripts/check_swaps.sh [BINARY]        default: build/release/dflash-graph
#
# Exit code 0: all swaps kept their word; 1: a swap failed or changed the loss; 2: no binary.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${1:-}"

limit="1e-5"
keeping=(
  "drafter.fc=split"
  "extract.form=split"
  "drafter.fc=split extract.form=split"
  "drafter.attention=dense"
  "pack.mask=dense"
  "drafter.attention=dense pack.mask=dense"
  "drafter.slice_blocks=1"
  "drafter.slice_blocks=5"
  "drafter.slice_blocks=128"
  "target.replicas=2"
  "target.replicas=3 extract.replicas=2 pack.replicas=2"
  "run.order_seed=5"
  "drafter.head=recompute"
  "drafter.head=whole"
  "drafter.head_chunk_blocks=16"
  "drafter.head=recompute drafter.head_chunk_blocks=16"
  "batch.document_ids=repeat_interleave"
  "batch.document_ids=searchsorted"
  "batch.document_ids=host"
  "queue.capacity=4"
  "queue.capacity=20"
  "queue.min_ready=1"
  "postprocess.mode=inline"
  "drafter.fused=false"
)
changing=(
  "queue.buckets=[700,900]"
  "queue.order=random"
  "queue.order=random queue.buckets=[700,900]"
  "models.drafter.layers=sliding"
  "models.drafter.layers=hybrid"
  "models.drafter.layers=sliding models.drafter.window=16"
  "models.drafter.block_size=4"
  "models.drafter.taps=[1,4]"
)

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Runs one variant: the folder of its run, then the overrides.
train() {
  local folder="$1" overrides=() override
  shift
  for override in "$@"; do overrides+=(--set "$override"); done
  "$binary" run graphs/train.json --quiet --run-dir "$folder" --set run.steps=30 --set run.device=cpu \
    --set run.evaluate=false --set run.checkpoint.every=0 "${overrides[@]}"
}

# Prints the largest relative difference of the loss over all steps, or what is wrong.
difference() {
  python3 - "$1/metrics.jsonl" "$2/metrics.jsonl" <<'PYTHON'
import json, sys

def losses(path):
    rows = [json.loads(line) for line in open(path)]
    return {row["step"]: row["loss"] for row in rows if "event" not in row}

base, swapped = map(losses, sys.argv[1:])
if sorted(base) != list(range(1, 31)) or sorted(swapped) != sorted(base):
    sys.exit(f"steps are missing: {len(base)} and {len(swapped)} of 30")
print(f"{max(abs(swapped[step] - loss) / abs(loss) for step, loss in base.items()):.2e}")
PYTHON
}

failures=0

# Prints a row of the table: kind (keeps or changes), then the overrides.
row() {
  local kind="$1" folder="$work/swap" largest="-" verdict
  shift
  rm -rf "$folder"
  if ! train "$folder" "$@"; then
    verdict="FAILED: does not run"
  elif ! largest="$(difference "$work/base" "$folder")"; then
    verdict="FAILED"
  elif [[ "$kind" == changes ]]; then
    verdict="runs"
  elif python3 -c "import sys; sys.exit(not float('$largest') <= $limit)"; then
    verdict="ok"
  else
    verdict="FAILED: above $limit"
  fi
  if [[ "$verdict" == FAILED* ]]; then failures=$((failures + 1)); fi
  printf '  %-54s %10s  %s\n' "$*" "$largest" "$verdict"
}

# Prints one part of the table: kind, title, rows.
table() {
  local kind="$1" swap words
  printf '\n%-56s %10s\n' "$2" "largest"
  shift 2
  for swap in "$@"; do
    read -ra words <<<"$swap"
    row "$kind" "${words[@]}"
  done
}

echo "largest relative difference of the loss over 30 steps, against graphs/train.json as it is"
train "$work/base"
table keeps "swaps that may not change numbers (limit $limit)" "${keeping[@]}"
table changes "swaps that change the data's order or the model" "${changing[@]}"

echo
if ((failures > 0)); then
  echo "$failures of $((${#keeping[@]} + ${#changing[@]})) swaps failed"
  exit 1
fi
echo "all $((${#keeping[@]} + ${#changing[@]})) swaps ok"
