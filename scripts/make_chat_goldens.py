#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files in tests/data/chat/: what `transformers` renders and tokenises with the tiny target's folder, and what it renders
with published chat templates. Needs `pip install transformers jinja2 xxhash`. The tests only read the result.

    scripts/make_chat_goldens.py [NAME=PATH ...]

NAME is a template of TEMPLATES below, PATH the model's folder, its tokenizer_config.json or a Jinja file. Texts of templates are not kept here, only
their keys (see stages/data/templates/template_text.h). Which bytes are an answer is told by the template itself, with Jinja's
`generation` tags put around what the model writes.
"""
import json
import pathlib
import sys

import xxhash
from transformers import PreTrainedTokenizerFast, logging
from transformers.utils.chat_template_utils import render_jinja_template

logging.set_verbosity_error()
ROOT = pathlib.Path(__file__).resolve().parent.parent
TINY = ROOT / "configs/tiny/target"
OUT = ROOT / "tests/data/chat"


def chat(*turns):
    return [{"role": role, "content": content, **dict(*more)} for role, content, *more in turns]


PLAIN = [
    chat(("user", "Once upon a time there was a cat."), ("assistant", "It was red.\n\nThe end.")),
    chat(("system", "Be kind."), ("user", "Hi"), ("assistant", "Hello!"), ("user", "More?"), ("assistant", " Yes, \t more.\n")),
    chat(("user", ""), ("assistant", "")),
    chat(("user", "a\n"), ("assistant", "\n\nstarts with line breaks")),
    chat(("user", "{{ 7 * 7 }} {% raw %} <b>&amp;</b> \\n 'quoted' \"double\""), ("assistant", "Ünï 🙂 e\u0301 中文")),
    chat(("user", "says <|im_end|> inside"), ("assistant", "and <|im_start|>user\nso <|mask|> do I")),
    chat(("user", "no answer yet")),
]
CHATML_TAGS = [("{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}",
                "{{'<|im_start|>' + message['role'] + '\\n'}}{% if message['role'] == 'assistant' %}{% generation %}"
                "{{ message['content'] + '<|im_end|>' }}{% endgeneration %}{% else %}{{ message['content'] + '<|im_end|>' }}"
                "{% endif %}{{ '\\n' }}")]

# name: (conversations, replacements that put the tags)
TEMPLATES = {
    "chatml": (PLAIN, CHATML_TAGS),
    "smollm2": (PLAIN + [chat(("system", ""), ("user", "q"), ("assistant", "a"))], CHATML_TAGS),
}


def normalized(text):
    """As stages/data/templates/template_text.cpp does it."""
    out, quote, block = [], "", False
    text = text.replace("\r\n", "\n")
    at = 0
    while at < len(text):
        c = text[at]
        if quote and c == "\\" and at + 1 < len(text):
            out.append(text[at:at + 2])
            at += 2
            continue
        out.append("\\n" if quote and c == "\n" else c)
        at += 1
        if quote:
            quote = "" if c == quote else quote
        elif block:
            quote = c if c in "'\"" else ""
            block = not text[:at].endswith(("}}", "%}"))
        else:
            block = text[:at].endswith(("{{", "{%"))
    return "".join(out).removesuffix("\n")


def template_of(path):
    path = pathlib.Path(path)
    if path.is_dir():
        path = path / ("chat_template.jinja" if (path / "chat_template.jinja").exists() else "tokenizer_config.json")
    text = path.read_text(encoding="utf-8")
    return json.loads(text)["chat_template"] if path.suffix == ".json" else text


def render(template, messages, **options):
    [text], [spans] = render_jinja_template(conversations=[messages], chat_template=template, return_assistant_tokens_mask=True, **options)
    return text, spans


def byte_offset(text, at):
    return len(text[:at].encode())


def template_case(template, tags, messages, options):
    tagged = normalized(template)
    for old, new in tags:
        assert old in tagged, old
        tagged = tagged.replace(old, new)
    text, _ = render(template, messages, **options)
    same, spans = render(tagged, messages, **options)
    prompt, _ = render(template, messages, add_generation_prompt=True, **options)
    assert same == text and prompt.startswith(text)
    return {"messages": messages, "text": text, "prompt_end": prompt[len(text):],
            "answers": [[byte_offset(text, begin), byte_offset(text, end)] for begin, end in spans]}


def write(name, head, cases):
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    text = f"[\n{lines}\n]\n" if head is None else json.dumps(head)[:-1] + f', "cases": [\n{lines}\n]}}\n'
    (OUT / name).write_text(text, encoding="utf-8")


def make_template_golden(name, path):
    conversations, tags = TEMPLATES[name]
    template = template_of(path)
    cases = [template_case(template, tags, messages, {}) for messages in conversations]
    write(f"{name}_template_golden.json", {"template_key": xxhash.xxh3_64_hexdigest(normalized(template).encode())}, cases)


def make_tiny_golden():
    tokenizer = PreTrainedTokenizerFast.from_pretrained(TINY)
    assert (tokenizer.eos_token_id, tokenizer.pad_token_id, tokenizer.mask_token_id) == (2, 0, 3)
    cases = []
    for messages in PLAIN:
        case = template_case(tokenizer.chat_template, CHATML_TAGS, messages, {})
        ids = tokenizer.apply_chat_template(messages, tokenize=True, return_dict=False)
        encoded = tokenizer(case["text"], add_special_tokens=False, return_offsets_mapping=True)
        assert encoded["input_ids"] == ids
        spans = [(byte_offset(case["text"], begin), byte_offset(case["text"], end)) for begin, end in encoded["offset_mapping"]]
        mask = [int(any(b <= x and y <= e for b, e in case["answers"])) for x, y in spans]
        cases.append({"messages": messages, "text": case["text"], "prompt": case["text"] + case["prompt_end"], "ids": ids, "loss_mask": mask})
    write("tiny_chat_golden.json", None, cases)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    make_tiny_golden()
    make_template_golden("chatml", TINY)
    for argument in sys.argv[1:]:
        make_template_golden(*argument.split("=", 1))


if __name__ == "__main__":
    main()
