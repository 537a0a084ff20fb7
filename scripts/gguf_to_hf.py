#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a Llama model with a SmolLM tokenizer, as llama.cpp keeps it (GGUF), as a Hugging Face folder in bf16.

    scripts/gguf_to_hf.py MODEL.gguf FOLDER          needs the packages gguf and numpy

FOLDER gets config.json (last: a folder that has it is whole), generation_config.json, model.safetensors, tokenizer.json and
tokenizer_config.json with the chat template. Quantised weights are unpacked, so they are as good as the file's, not as the original's.
"""
import json
import pathlib
import struct
import sys

import numpy
from gguf import GGUFReader
from gguf.quants import dequantize

# Key of config.json -> key of the file, behind the architecture's name.
SIZES = {
    "vocab_size": "vocab_size",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "rope.dimension_count",
    "max_position_embeddings": "context_length",
}
# Name of a tensor in the file, without its layer -> name of the module.
MODULES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "model.layers.{}.input_layernorm",
    "attn_q": "model.layers.{}.self_attn.q_proj",
    "attn_k": "model.layers.{}.self_attn.k_proj",
    "attn_v": "model.layers.{}.self_attn.v_proj",
    "attn_output": "model.layers.{}.self_attn.o_proj",
    "ffn_norm": "model.layers.{}.post_attention_layernorm",
    "ffn_gate": "model.layers.{}.mlp.gate_proj",
    "ffn_up": "model.layers.{}.mlp.up_proj",
    "ffn_down": "model.layers.{}.mlp.down_proj",
}
SPECIAL = 3  # type of a token that no text becomes


def value(reader, key):
    if key not in reader.fields:
        sys.exit(f"the file has no key {key}")
    return reader.fields[key].contents()


def name_in_folder(name):
    """"blk.3.attn_q.weight" is model.layers.3.self_attn.q_proj.weight."""
    parts = name.split(".")
    layer = parts[1] if parts[0] == "blk" else ""
    kind = parts[2] if layer else parts[0]
    if kind not in MODULES or parts[-1] != "weight":
        sys.exit(f"tensor {name} is none of a Llama model without biases")
    return MODULES[kind].format(layer) + ".weight"


def halves(rows, heads):
    """The order of a Q or K projection's rows: the file has the two rows of a rotated pair side by side, Hugging Face has
    the first rows of all pairs of a head, then the second ones."""
    index = numpy.arange(rows).reshape(heads, -1, 2)
    return numpy.concatenate([index[:, :, 0], index[:, :, 1]], axis=1).reshape(-1)


def bf16(values):
    """The nearest bfloat16 of each fp32, of two equally near the even one, as the upper half of its bits."""
    bits = numpy.ascontiguousarray(values, dtype="<f4").view("<u4").astype(numpy.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def read_weights(reader, config):
    weights = {}
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type)
        name = name_in_folder(tensor.name)
        for projection, heads in (("q_proj", "num_attention_heads"), ("k_proj", "num_key_value_heads")):
            if projection in name:
                values = values[halves(len(values), config[heads])]
        weights[name] = bf16(values)
    return weights


def write_safetensors(path, weights):
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in sorted(weights.items()):
        header[name] = {"dtype": "BF16", "shape": list(tensor.shape), "data_offsets": [end, end + tensor.nbytes]}
        end += tensor.nbytes
    text = json.dumps(header, separators=(",", ":"))
    text += " " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text.encode())
        for _, tensor in sorted(weights.items()):
            file.write(tensor.tobytes())


def read_config(reader, token_ids):
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
    for key, inner in SIZES.items():
        config[key] = int(value(reader, f"llama.{inner}"))
    names = {tensor.name for tensor in reader.tensors}
    config["rope_theta"] = float(value(reader, "llama.rope.freq_base"))
    config["rms_norm_eps"] = float(f"{value(reader, 'llama.attention.layer_norm_rms_epsilon'):.6g}")  # kept in fp32
    config["hidden_act"] = "silu"
    config["tie_word_embeddings"] = "output.weight" not in names
    config["torch_dtype"] = "bfloat16"
    return config | token_ids


def read_tokenizer(reader):
    """Digits are split one by one. Bytes that have no token vanish, as llama.cpp and the original do it."""
    tokens = value(reader, "tokenizer.ggml.tokens")
    kinds = value(reader, "tokenizer.ggml.token_type")
    added = [
        {"id": number, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True}
        for number, (token, kind) in enumerate(zip(tokens, kinds)) if kind == SPECIAL
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    digits = {"type": "Digits", "individual_digits": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, byte_level]},
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            "vocab": {token: number for number, token in enumerate(tokens)},
            "merges": value(reader, "tokenizer.ggml.merges"),
        },
    }


def write_json(path, content):
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    reader, folder = GGUFReader(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = value(reader, "general.architecture"), value(reader, "tokenizer.ggml.pre")
    if found != ("llama", "smollm"):
        sys.exit(f"{sys.argv[1]}: found architecture and tokenizer {found}, allowed: ('llama', 'smollm')")
    tokens = value(reader, "tokenizer.ggml.tokens")
    ids = {role: int(value(reader, f"tokenizer.ggml.{key}_token_id"))
           for role, key in (("bos", "bos"), ("eos", "eos"), ("pad", "padding"))}
    token_ids = {f"{role}_token_id": number for role, number in ids.items()}
    config = read_config(reader, token_ids)
    folder.mkdir(parents=True, exist_ok=True)
    weights = read_weights(reader, config)
    write_safetensors(folder / "model.safetensors", weights)
    write_json(folder / "tokenizer.json", read_tokenizer(reader))
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **{f"{role}_token": tokens[number] for role, number in ids.items()},
        "model_max_length": config["max_position_embeddings"],
        "clean_up_tokenization_spaces": False,
        "chat_template": value(reader, "tokenizer.chat_template"),
    })
    write_json(folder / "generation_config.json", token_ids)
    write_json(folder / "config.json", config)
    print(f"wrote {folder}: {sum(tensor.size for tensor in weights.values()) / 1e6:.1f} M parameters in bf16")


if __name__ == "__main__":
    main()
