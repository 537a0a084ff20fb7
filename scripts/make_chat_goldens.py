#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/chat/tiny_chat_golden.json: what `transformers` renders and tokenises with the tiny target's folder.
Needs `pip install transformers jinja2`. The tests only read the result.

    scripts/make_chat_goldens.py
"""
import json
import pathlib

from transformers import PreTrainedTokenizerFast

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHATS = [
    [("user", "Once upon a time there was a cat."), ("assistant", "It was red.\n\nThe end.")],
    [("system", "Be kind."), ("user", "Hi"), ("assistant", "Hello!"), ("user", "More?"), ("assistant", " Yes, \t more.\n")],
    [("user", ""), ("assistant", "")],
    [("user", "a\n"), ("assistant", "\n\nstarts with line breaks")],
    [("user", "{{ 7 * 7 }} {% raw %} <b>&amp;</b> \\n 'quoted' \"double\""), ("assistant", "Ünï 🙂 e\u0301 中文")],
    [("user", "says <|im_end|> inside"), ("assistant", "and <|im_start|>user\nso <|mask|> do I")],
    [("user", "no answer yet")],
]


def mask_of(text, messages, offsets):
    """1 for tokens wholly inside an answer or its end-of-turn token, found by walking over the rendered text."""
    at, spans = 0, []
    for message in messages:
        header = f"<|im_start|>{message['role']}\n"
        begin = at + len(header)
        end = begin + len(message["content"]) + len("<|im_end|>")
        assert text[at:begin] == header and text[end - 10:end + 1] == "<|im_end|>\n"
        if message["role"] == "assistant":
            spans.append((begin, end))
        at = end + 1
    assert at == len(text)
    return [int(any(b <= x and y <= e for b, e in spans)) for x, y in offsets]


def main():
    tokenizer = PreTrainedTokenizerFast.from_pretrained(ROOT / "configs/tiny/target")
    assert (tokenizer.eos_token_id, tokenizer.pad_token_id, tokenizer.mask_token_id) == (2, 0, 3)
    cases = []
    for chat in CHATS:
        messages = [{"role": role, "content": content} for role, content in chat]
        text = tokenizer.apply_chat_template(messages, tokenize=False)
        ids = tokenizer.apply_chat_template(messages, tokenize=True, return_dict=False)
        prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        assert encoded["input_ids"] == ids
        cases.append({"messages": messages, "text": text, "prompt": prompt, "ids": ids,
                      "loss_mask": mask_of(text, messages, encoded["offset_mapping"])})
    out = ROOT / "tests/data/chat/tiny_chat_golden.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
