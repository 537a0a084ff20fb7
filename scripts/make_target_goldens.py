#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/target: tiny random targets of every family and what the `transformers` package computes with them.

Needs torch 2.11, transformers 5.15, safetensors, numpy; runs on the CPU in fp32.

    python scripts/make_target_goldens.py [OUT]
    python scripts/make_target_goldens.py --of FOLDER

The second writes FOLDER/golden.safetensors for a real target: then DFLASH_PARITY_TARGET=FOLDER models_test compares with it, too.

Per target folder: `config.json`, the weights (one file, or shards), and `golden.safetensors` with the hidden states and logits of
two documents and a greedy continuation of each, computed in fp32 from the weights as they are in the file. `CASES` says what is
special about each; `old` is the config layout of transformers 4 (rope_theta, rope_scaling, torch_dtype) instead of that of
transformers 5 (rope_parameters, dtype). `rope.safetensors` has the frequencies and the factor of cos and sin of each kind of
rotary scaling, for parameters in its metadata.
"""

import dataclasses
import json
import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import (AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedModel, Qwen2Config, Qwen2ForCausalLM, Qwen3Config,
                          Qwen3ForCausalLM)
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

DOCUMENT_LENGTHS = (17, 5)
TEXTS = ("<|im_start|>user\nA robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?"
         "<|im_end|>\n<|im_start|>assistant\nIt takes 2 + 1 = 3 bolts.<|im_end|>\n", "It was the best of times, it was the worst of times")
NEW_TOKENS = 12
FAMILIES = {"qwen3": (Qwen3Config, Qwen3ForCausalLM), "qwen2": (Qwen2Config, Qwen2ForCausalLM),
            "llama": (LlamaConfig, LlamaForCausalLM)}
LINEAR = {"rope_type": "linear", "factor": 2.5}
# At such a base the pairs of the tiny heads fall on both sides of every bound of the scaled kinds.
LLAMA3 = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 32}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}


@dataclasses.dataclass
class Case:
    family: str
    tied: bool
    theta: float = 100.0
    scaling: dict = dataclasses.field(default_factory=lambda: {"rope_type": "default"})
    old: bool = False
    dtype: torch.dtype = torch.float32
    shard: str = "5GB"
    config: dict = dataclasses.field(default_factory=dict)
    without: tuple[str, ...] = ()  # keys that files of the family often lack


SMALL = {"vocab_size": 48, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 3, "head_dim": 8}
LARGER = {"vocab_size": 96, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 3, "head_dim": 8}
CASES = {
    "tied_old": Case("qwen3", True, 5000.0, old=True, config=LARGER),
    "untied_new": Case("qwen3", False, 5000.0, shard="25KB", config=LARGER),
    # q, k and v with biases and no norm of heads, the size of heads not written.
    "qwen2_tied": Case("qwen2", True, old=True, config=SMALL | {"hidden_size": 32, "head_dim": None}, without=("layer_types",)),
    # The last two layers slide, by max_window_layers.
    "qwen2_sliding": Case("qwen2", False, config=SMALL | {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1},
                          scaling=YARN, without=("layer_types",)),
    # As old files are: as many key heads as query heads, neither these nor the base of the angles written; fp16.
    "llama_plain": Case("llama", False, 10000.0, old=True, dtype=torch.float16,
                        config=SMALL | {"hidden_size": 32, "head_dim": None, "num_key_value_heads": 4},
                        without=("num_key_value_heads", "rope_theta", "head_dim", "mlp_bias", "attention_bias")),
    # q, k, v and o with biases.
    "llama_linear": Case("llama", True, scaling=LINEAR, old=True, config=SMALL | {"attention_bias": True}),
    "llama_llama3": Case("llama", True, scaling=LLAMA3, config=SMALL),
    "qwen3_yarn": Case("qwen3", False, scaling=YARN, old=True, config=SMALL | {"attention_bias": True}),
    "qwen3_sliding": Case("qwen3", True, dtype=torch.bfloat16,
                          config=SMALL | {"use_sliding_window": True, "sliding_window": 6,
                                          "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}),
}

ROPES = {
    "default": {"rope_theta": 1e4, "rope_type": "default"},
    "linear": {"rope_theta": 1e6, **LINEAR},
    "llama3.1": {"rope_theta": 5e5, "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                 "original_max_position_embeddings": 8192},
    "llama3.2": {"rope_theta": 5e5, "rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                 "original_max_position_embeddings": 8192},
    "yarn": {"rope_theta": 1e6, "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768},
    "yarn.factor": {"rope_theta": 1e4, "rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096,
                    "attention_factor": 0.75, "beta_fast": 48.0, "beta_slow": 2.0},
    "yarn.mscale": {"rope_theta": 1e4, "rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096,
                    "mscale": 1.0, "mscale_all_dim": 0.5},
    "yarn.exact": {"rope_theta": 1e4, "rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192,
                   "truncate": False},
    "yarn.narrow": {"rope_theta": 1e4, "rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 2048,
                    "beta_fast": 1.0, "beta_slow": 1.0, "truncate": False},
}
ROPE_HEAD_DIM = 128


def make_model(case: Case, seed: int) -> PreTrainedModel:
    torch.manual_seed(seed)
    config_class, model_class = FAMILIES[case.family]
    sizes = {key: value for key, value in ({"num_key_value_heads": 2} | case.config).items() if value is not None}
    config = config_class(
        num_attention_heads=4, max_position_embeddings=128, rms_norm_eps=1e-6,
        rope_parameters=dict(case.scaling, rope_theta=case.theta), tie_word_embeddings=case.tied, bos_token_id=None,
        eos_token_id=1, pad_token_id=0, attn_implementation="eager", **sizes)
    model = model_class(config).float().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.uniform_(-0.5, 0.5) if name.endswith("bias") else parameter.uniform_(0.5, 1.5)
            else:
                parameter.normal_(0.0, 0.2)
    return model


def to_old_layout(config: dict) -> None:
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope.pop("rope_theta")
    config["rope_scaling"] = rope if rope["rope_type"] != "default" else None
    if rope["rope_type"] == "linear":
        rope["type"] = rope.pop("rope_type")  # as transformers called it at first
    config["torch_dtype"] = config.pop("dtype")


def rewrite_config(folder: pathlib.Path, case: Case) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    if case.old:
        to_old_layout(config)
    for key in case.without:
        config.pop(key, None)
    path.write_text(json.dumps(config, indent=2) + "\n")


def random_documents(model: PreTrainedModel, seed: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randint(2, model.config.vocab_size, (1, length), generator=generator) for length in DOCUMENT_LENGTHS]


@torch.no_grad()
def goldens(model: PreTrainedModel, documents: list[torch.Tensor]) -> dict[str, torch.Tensor]:
    out = {}
    for number, ids in enumerate(documents):
        length = ids.shape[1]
        forward = model(ids, output_hidden_states=True)
        continued = model.generate(ids, max_new_tokens=NEW_TOKENS, min_new_tokens=NEW_TOKENS, do_sample=False, pad_token_id=0,
                                   suppress_tokens=None, eos_token_id=None, attention_mask=torch.ones_like(ids))
        out[f"ids.{number}"] = ids[0]
        for index, state in enumerate(forward.hidden_states):
            out[f"hidden_states.{index}.{number}"] = state[0].clone()
        out[f"logits.{number}"] = forward.logits[0]
        out[f"greedy.{number}"] = continued[0, length:].clone()
    return out


def write_case(folder: pathlib.Path, case: Case) -> None:
    make_model(case, seed=7).to(case.dtype).save_pretrained(folder, max_shard_size=case.shard)
    (folder / "generation_config.json").unlink(missing_ok=True)
    rewrite_config(folder, case)
    model = FAMILIES[case.family][1].from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    save_file(goldens(model, random_documents(model, seed=11)), folder / "golden.safetensors")


def write_own(folder: pathlib.Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    documents = [tokenizer(text, return_tensors="pt", add_special_tokens=False).input_ids for text in TEXTS]
    save_file(goldens(model, documents), folder / "golden.safetensors")


def write_ropes(path: pathlib.Path) -> None:
    tensors = {}
    for name, parameters in ROPES.items():
        config = LlamaConfig(hidden_size=4 * ROPE_HEAD_DIM, num_attention_heads=4, max_position_embeddings=131072,
                             rope_parameters=dict(parameters))
        rotary = LlamaRotaryEmbedding(config)
        assert parameters["rope_type"] in ROPE_INIT_FUNCTIONS or parameters["rope_type"] == "default"
        tensors[f"{name}.frequency"] = rotary.inv_freq.clone()
        tensors[f"{name}.scale"] = torch.tensor([rotary.attention_scaling], dtype=torch.float64)
    save_file(tensors, path, metadata={name: json.dumps(parameters) for name, parameters in ROPES.items()})


def main() -> None:
    if sys.argv[1:2] == ["--of"]:
        write_own(pathlib.Path(sys.argv[2]))
        return
    default = pathlib.Path(__file__).resolve().parent.parent / "tests/data/target"
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    for name, case in CASES.items():
        write_case(out / name, case)
    write_ropes(out / "rope.safetensors")


if __name__ == "__main__":
    main()
