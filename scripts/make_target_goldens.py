#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/target: tiny random Qwen3 targets and what the `transformers` package computes with them.

Needs torch 2.11, transformers 5.15, safetensors, numpy; runs on the CPU in fp32.

    python scripts/make_target_goldens.py [OUT]

Per target folder: `config.json`, the weights (one file, or shards), and `golden.safetensors` with the hidden states and logits of
two documents and a greedy continuation of each. `tied_old` has the config layout of transformers 4 (rope_theta), `untied_new`
that of transformers 5 (rope_parameters) and its weights in four shards.
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import Qwen3Config, Qwen3ForCausalLM

DOCUMENT_LENGTHS = (17, 5)
NEW_TOKENS = 12


def make_model(tied: bool, seed: int) -> Qwen3ForCausalLM:
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=96, hidden_size=24, intermediate_size=40, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=2, head_dim=8, max_position_embeddings=128, rms_norm_eps=1e-6,
        rope_parameters={"rope_type": "default", "rope_theta": 5000.0}, tie_word_embeddings=tied, bos_token_id=None,
        eos_token_id=1, pad_token_id=0, attn_implementation="eager")
    model = Qwen3ForCausalLM(config).float().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.uniform_(0.5, 1.5)
            else:
                parameter.normal_(0.0, 0.2)
    return model


def old_layout(folder: pathlib.Path) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config["rope_theta"] = config.pop("rope_parameters")["rope_theta"]
    config["rope_scaling"] = None
    config["torch_dtype"] = config.pop("dtype")
    path.write_text(json.dumps(config, indent=2) + "\n")


@torch.no_grad()
def goldens(model: Qwen3ForCausalLM, seed: int) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    out = {}
    for number, length in enumerate(DOCUMENT_LENGTHS):
        ids = torch.randint(2, model.config.vocab_size, (1, length), generator=generator)
        forward = model(ids, output_hidden_states=True)
        continued = model.generate(ids, max_new_tokens=NEW_TOKENS, min_new_tokens=NEW_TOKENS, do_sample=False, pad_token_id=0,
                                   suppress_tokens=None, eos_token_id=None, attention_mask=torch.ones_like(ids))
        out[f"ids.{number}"] = ids[0]
        for index, state in enumerate(forward.hidden_states):
            out[f"hidden_states.{index}.{number}"] = state[0].clone()
        out[f"logits.{number}"] = forward.logits[0]
        out[f"greedy.{number}"] = continued[0, length:].clone()
    return out


def main() -> None:
    default = pathlib.Path(__file__).resolve().parent.parent / "tests/data/target"
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    for name, tied, shard in (("tied_old", True, "5GB"), ("untied_new", False, "25KB")):
        model = make_model(tied, seed=7)
        folder = out / name
        model.save_pretrained(folder, max_shard_size=shard)
        (folder / "generation_config.json").unlink(missing_ok=True)
        if name.endswith("old"):
            old_layout(folder)
            Qwen3ForCausalLM.from_pretrained(folder)
        save_file(goldens(model, seed=11), folder / "golden.safetensors")


if __name__ == "__main__":
    main()
