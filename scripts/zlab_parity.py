#!/usr/bin/env python3
"""Decodes the parity set of an export by z-lab's own code (package `dflash`, transformers 5.15 or later), and compares.

    scripts/zlab_parity.py EXPORT [TARGET]        TARGET: by default the one that parity.json names

Answers and accepted lengths must be those of parity.json, list equal to list. Exit code 1 where one differs."""
import json
import pathlib
import sys
import time

import torch
import dflash.model as zlab
from transformers import AutoConfig, AutoModelForCausalLM

export = pathlib.Path(sys.argv[1])
parity = json.loads((export / "parity.json").read_text())
target = AutoModelForCausalLM.from_pretrained(sys.argv[2] if len(sys.argv) > 2 else parity["target"]["path"], dtype=torch.float32).eval()
drafter, info = zlab.DFlashDraftModel.from_pretrained(
    export, config=AutoConfig.from_pretrained(export), attn_implementation="sdpa", dtype=torch.float32, output_loading_info=True)
drafter.eval()
unused = {kind: names for kind, names in info.items() if names}
zlab._cuda_time = time.perf_counter  # the package's timer needs a GPU

failed = bool(unused)
if unused:
    print("names that do not fit:", unused)
for number, prompt in enumerate(parity["prompts"]):
    ids = torch.tensor([prompt["ids"]])
    found = zlab.dflash_generate(drafter, target, ids, parity["new_tokens"], parity["stop_ids"] or None, return_stats=True)
    answer = found.output_ids[0].tolist()[len(prompt["ids"]):]
    equal = answer == prompt["tokens"] and list(found.acceptance_lengths) == prompt["accepted"]
    failed |= not equal
    print(f"prompt {number}: {'equal' if equal else 'DIFFERS'}, accepted {prompt['accepted']}")
    if not equal:
        print(f"  z-lab's code: accepted {list(found.acceptance_lengths)}, tokens {answer}\n  parity.json: tokens {prompt['tokens']}")
sys.exit(failed)
