#!/usr/bin/env bash
# Makes the weights and the answers of the embedded default anew, with this program alone:
#   scripts/make_tiny_default.sh [PROGRAM] [WORK FOLDER]
# 1. pre-trains the target on the stories (a GPU job: minutes there, hours on a CPU)   -> configs/tiny/target/model.safetensors
# 2. lets it answer the distinct first sentences, greedily                             -> configs/tiny/{train,heldout}.jsonl
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${1:-build/cuda/dflash-graph}
work=${2:-runs/tiny-default}
"$program" run graphs/pretrain_target.json --run-dir "$work/pretrain"
"$program" run graphs/generate.json --set "models.target.path=$work/pretrain/export" --run-dir "$work/generate"
cp "$work/pretrain/export/model.safetensors" configs/tiny/target/model.safetensors
python3 - "$work/generate/answers.jsonl" <<'PY'
import json
import random
import sys

seen = {}  # answer -> row: prompts are distinct, answers of a small model are not; keep the first of each
for row in open(sys.argv[1]).read().splitlines()[:9000]:
    seen.setdefault(json.loads(row)["messages"][-1]["content"], row)
rows = list(seen.values())
random.Random(0).shuffle(rows)
for name, chosen in (("heldout", rows[:256]), ("train", rows[256:6256])):
    with open(f"configs/tiny/{name}.jsonl", "w") as file:
        file.writelines(row + "\n" for row in chosen)
PY
echo "wrote configs/tiny/target/model.safetensors, configs/tiny/train.jsonl, configs/tiny/heldout.jsonl"
