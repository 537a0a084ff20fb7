#!/usr/bin/env bash
# Trains a drafter to know eight of the shipped target's own answers by heart, exports it in both layouts, and measures each export anew by
# graphs/eval.json: on the same prompts it must accept whole blocks in every round but a prompt's last, and the answers must be those of
# plain greedy decoding. What an error of data, mask, positions, loss, export or decoding would lower.
#
#   scripts/check_overfit.sh [BINARY] [KEEP]    default: build/release/dflash-graph; KEEP: a folder that keeps runs and rows
#
# Exit code 0: it does; 1: it does not; 2: no binary.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${1:-}"
work="${2:-}"
if [[ -z "$work" ]]; then
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"

head -n 8 configs/tiny/train.jsonl >"$work/rows.jsonl"
measure=(--set "run.evaluate.path=$work/rows.jsonl" --set run.evaluate.training_path= --set run.evaluate.prompts=8
  --set run.evaluate.new_tokens=320 --set run.evaluate.temperature=0)

"$binary" run graphs/train.json --quiet --force --run-dir "$work/train" --set run.device=cpu --set "data.path=$work/rows.jsonl" \
  --set data.max_length=384 --set batch.pack_length=768 --set pack.num_anchors=192 --set run.steps="${STEPS:-200}" \
  --set run.checkpoint.every=0 --set run.checkpoint.keep_best=0 --set 'run.evaluate.at=["end"]' \
  --set 'models.drafter.export=["zlab","speculators"]' "${measure[@]}"
for export in export export_speculators; do
  "$binary" parity "$work/train/$export" --quiet
  "$binary" run graphs/eval.json --quiet --force --run-dir "$work/eval_$export" --set run.device=cpu \
    --set "models.drafter.path=$work/train/$export" "${measure[@]}"
done

python3 - "$work" <<'PYTHON'
import json, pathlib, sys

work = pathlib.Path(sys.argv[1])
failed = False
for run in ("train", "eval_export", "eval_export_speculators"):
    evaluation = json.loads((work / run / "report.json").read_text())["evaluation"]
    print(f"{run}: tau {evaluation['tau']:.3f}, {evaluation['equal_to_plain']} of {evaluation['prompts']} answers as plain greedy's")
    failed |= evaluation["equal_to_plain"] != evaluation["prompts"]
    if run == "train":
        continue
    for line in (work / run / "answers.jsonl").read_text().splitlines():
        row = json.loads(line)
        whole = row["accepted"][:-1] == [evaluation["block_size"]] * (len(row["accepted"]) - 1)
        failed |= not whole
        if not whole:
            print(f"  {row['prompt']!r}: {row['accepted']}")
print("FAILED: a drafter that knows the answers must accept whole blocks" if failed else "whole blocks in every round but each prompt's last")
sys.exit(failed)
PYTHON
