# SPDX-License-Identifier: Apache-2.0
"""Writes the golden files of this folder: a tiny random Qwen3 target (by `transformers`), a drafter overfitted on its greedy
answers to half of the prompts (z-lab's own module, package `dflash`), and what z-lab's `dflash_generate` decodes with both.

    pip install torch==2.11.0 transformers==5.15.0 dflash==0.1.0 safetensors && python3 make.py
"""
import json
import time
from pathlib import Path

import dflash.model as zlab
import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM, Qwen3Config, Qwen3ForCausalLM

HERE = Path(__file__).parent
VOCAB, HIDDEN, LAYERS, BLOCK, MASK, NEW_TOKENS = 64, 32, 6, 8, 63, 40
TAPS = [1, 2, 4]

torch.manual_seed(5)
target = Qwen3ForCausalLM(Qwen3Config(
    vocab_size=VOCAB, hidden_size=HIDDEN, intermediate_size=48, num_hidden_layers=LAYERS, num_attention_heads=4,
    num_key_value_heads=2, head_dim=8, max_position_embeddings=256, rope_theta=1e4, tie_word_embeddings=False,
    initializer_range=0.2, bos_token_id=None, eos_token_id=2, pad_token_id=0)).to(torch.bfloat16)
for name, parameter in target.named_parameters():
    if name.endswith("norm.weight"):
        torch.nn.init.uniform_(parameter, 0.7, 1.3)
target.save_pretrained(HERE / "target")
(HERE / "target" / "generation_config.json").unlink(missing_ok=True)
target = AutoModelForCausalLM.from_pretrained(HERE / "target", dtype=torch.float32).eval()

config = {
    "architectures": ["DFlashDraftModel"], "model_type": "qwen3", "dtype": "bfloat16", "block_size": BLOCK,
    "dflash_config": {"mask_token_id": MASK, "target_layer_ids": TAPS, "block_size": BLOCK}, "num_target_layers": LAYERS,
    "hidden_size": HIDDEN, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 6,
    "num_key_value_heads": 2, "head_dim": 8, "hidden_act": "silu", "layer_types": ["sliding_attention", "full_attention"],
    "use_sliding_window": True, "sliding_window": 12, "max_window_layers": 0, "rope_theta": 1e4, "rope_scaling": None,
    "rms_norm_eps": 1e-6, "max_position_embeddings": 256, "vocab_size": VOCAB, "tie_word_embeddings": False,
    "attention_bias": False, "attention_dropout": 0.0, "initializer_range": 0.02, "bos_token_id": None, "eos_token_id": 2,
    "pad_token_id": 0, "use_cache": True}
(HERE / "drafter").mkdir(exist_ok=True)
(HERE / "drafter" / "config.json").write_text(json.dumps(config, indent=1) + "\n")
draft_config = AutoConfig.from_pretrained(HERE / "drafter")
draft_config._attn_implementation = "sdpa"
drafter = zlab.DFlashDraftModel(draft_config).float()

prompts = [torch.randint(3, MASK, (1, length)) for length in (6, 3, 9, 4, 12, 5)]


@torch.no_grad()
def greedy(ids):
    for _ in range(NEW_TOKENS + BLOCK):
        ids = torch.cat([ids, target(ids).logits[:, -1:].argmax(-1)], 1)
    return ids


def block_loss(ids, features, anchor):
    tokens = torch.full((1, BLOCK), MASK)
    tokens[0, 0] = ids[0, anchor]
    hidden = drafter(target_hidden=features[:, :anchor], noise_embedding=target.model.embed_tokens(tokens).detach(),
                     position_ids=torch.arange(anchor + BLOCK)[None])
    logits = drafter.compute_logits(hidden[0, 1:], target.lm_head)
    return torch.nn.functional.cross_entropy(logits, ids[0, anchor + 1:anchor + BLOCK])


documents = []
for prompt in prompts[:3]:
    ids = greedy(prompt)
    with torch.no_grad():
        states = target(ids, output_hidden_states=True).hidden_states
    documents.append((ids, zlab.extract_context_feature(states, TAPS), prompt.shape[1]))
optimizer = torch.optim.AdamW(drafter.parameters(), lr=4e-3, weight_decay=0)
for step in range(300):
    picks = [(d, int(torch.randint(d[2], d[2] + NEW_TOKENS, ()))) for d in documents for _ in range(3)]
    loss = sum(block_loss(ids, features, anchor) for (ids, features, _), anchor in picks) / len(picks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
save_file({k: v.detach().to(torch.bfloat16).contiguous() for k, v in drafter.named_parameters()},
          HERE / "drafter" / "model.safetensors", metadata={"format": "pt"})
print("last loss", loss.item())

drafter = zlab.DFlashDraftModel.from_pretrained(
    HERE / "drafter", config=draft_config, attn_implementation="sdpa", dtype=torch.float32).eval()
zlab._cuda_time = time.perf_counter  # the package's timer needs a GPU


def decode(stop):
    answers = []
    for prompt in prompts:
        got = zlab.dflash_generate(drafter, target, prompt, NEW_TOKENS, stop, return_stats=True)
        answers.append({"tokens": got.output_ids[0, prompt.shape[1]:].tolist(), "accepted": got.acceptance_lengths})
    return answers


answers = decode(None)
stop = answers[0]["tokens"][10]
rounds = [length for answer in answers for length in answer["accepted"]]
golden = {"new_tokens": NEW_TOKENS, "prompts": [p[0].tolist() for p in prompts], "answers": answers,
          "tau": sum(rounds) / len(rounds), "stop": stop, "stopped_answers": decode([stop])}
(HERE / "decode.json").write_text(json.dumps(golden) + "\n")
print("tau", golden["tau"], [a["accepted"] for a in answers], [a["accepted"] for a in golden["stopped_answers"]])
