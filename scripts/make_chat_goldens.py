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

SHARED_TURN_END = ("""        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}""", """        {{- '<|im_end|>' }}{%- endgeneration %}{{- '\\n' }}
    {%- elif message.role == "tool" %}""")
QWEN2_5_TAGS = [
    (""" or (message.role == "assistant" and not message.tool_calls) %}""", " %}"),
    ("""        {{- '<|im_start|>' + message.role }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
""", """        {{- '<|im_start|>' + message.role + '\\n' }}{%- generation %}{{- message.content }}{%- set text = message.content %}
"""),
    ("""            {{- '\\n<tool_call>""", """            {{- ('\\n' if text or not loop.first else '') + '<tool_call>"""),
    SHARED_TURN_END,
]
QWEN3_INSTRUCT_TAGS = [
    ("""        {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- if message.tool_calls %}""", """        {{- '<|im_start|>' + message.role + '\\n' }}{%- generation %}{{- content }}
        {%- if message.tool_calls %}"""),
    SHARED_TURN_END,
]
QWEN3_TAGS = [
    ("""                {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
""", """                {%- set thought = reasoning_content.strip('\\n') %}
                {%- set head = '' if thought else '<think>\\n\\n</think>\\n\\n' %}
                {%- set body = ('<think>\\n' + thought + '\\n</think>\\n\\n' if thought else '') + content.lstrip('\\n') %}
"""),
    ("""{{- '<|im_start|>' + message.role + '\\n' + content }}
""", """{%- set head = '' %}{%- set body = content %}
"""),
    ("""        {%- if message.tool_calls %}""",
     """        {{- '<|im_start|>' + message.role + '\\n' + head }}{%- generation %}{{- body }}
        {%- if message.tool_calls %}"""),
    SHARED_TURN_END,
]
LLAMA3_TAGS = [
    ("{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' %}",
     "{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' %}"),
    ("{{ content }}{% endfor %}",
     "{{ content }}{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] | trim + '<|eot_id|>' }}{% endgeneration %}"
     "{% else %}{{ message['content'] | trim + '<|eot_id|>' }}{% endif %}{% endfor %}"),
]

LLAMA3_1_TAGS = [
    ("""'<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}""",
     """'<|end_header_id|>\\n\\n' }}{%- if message['role'] == 'assistant' %}{%- generation %}{{- message['content'] | trim + '<|eot_id|>' }}"""
     """{%- endgeneration %}{%- else %}{{- message['content'] | trim + '<|eot_id|>' }}{%- endif %}"""),
    ("""            {{- '{"name": "' + tool_call.name""", """            {%- generation %}{{- '{"name": "' + tool_call.name"""),
    ("""            {{- "}" }}
""", """            {{- "}<|eot_id|>" }}{%- endgeneration %}
"""),
    ("""        {%- else %}
            {{- "<|eot_id|>" }}
        {%- endif %}
    {%- elif message.role == "tool\"""", """        {%- endif %}
    {%- elif message.role == "tool\""""),
]


def call(name, arguments):
    return {"type": "function", "id": "c1", "function": {"name": name, "arguments": arguments}}


TOOLS = [
    chat(("user", "Weather?"), ("assistant", "", [("tool_calls", [call("weather", {"city": "Köln", "days": [1, 2.5, None, True], "x": {}})])]),
         ("tool", "rain"), ("assistant", "It rains."), ("user", "And now?"),
         ("assistant", "I look.", [("tool_calls", [call("weather", {"city": "Ulm"}), call("time", {"a\"b\n": "\u2028é"})])]),
         ("tool", "sun"), ("tool", "12:00"), ("assistant", "Sun at noon.")),
    chat(("user", "Weather?"), ("assistant", "", [("tool_calls", [call("weather", '{"city": "Köln"}')])]), ("tool", "rain"), ("assistant", "Rain.")),
    chat(("user", "Weather?"), ("assistant", "text", [("tool_calls", [])]), ("tool", "rain\n"), ("tool", "")),
]
ONE_CALL = [
    chat(("user", "Weather?"), ("assistant", "", [("tool_calls", [call("weather", {"city": "Köln", "days": [1, 2.5]})])]), ("tool", ' "rain"\n'),
         ("assistant", " It rains. ")),
    chat(("system", " s "), ("user", "Weather?"), ("assistant", "", [("tool_calls", [call("weather", '{"city": "Köln"}')])]), ("tool", "é"),
         ("assistant", "Rain.")),
]
THOUGHT = [
    chat(("user", "1+1?"), ("assistant", "<think>\neasy\n</think>\n\n2"), ("user", "2+2?"), ("assistant", "<think>\nharder\n</think>\n\n4")),
    chat(("user", "1+1?"), ("assistant", "2", [("reasoning_content", "easy")]), ("user", "2+2?"), ("assistant", "4", [("reasoning_content", "\nharder\n")])),
    chat(("user", "1+1?"), ("assistant", "\n\n2")),
    chat(("user", "1+1?"), ("assistant", "2", [("reasoning_content", "")])),
    chat(("user", "1+1?"), ("assistant", "<think>\n\n</think>\n\n2")),
    chat(("user", "1+1?"), ("assistant", "<think>a</think>b</think>\n\n2", [("reasoning_content", "")])),
    chat(("user", "1+1?"), ("assistant", "<think>a<think>b\n</think>c</think>\n2\n")),
    chat(("user", "1+1?"), ("assistant", "a </think> b"), ("user", "2?"), ("assistant", "\n")),
    chat(("user", "Weather?"), ("assistant", "<think>\nlook\n</think>\n\n\nI look.", [("tool_calls", [call("weather", {"city": "Ulm"})])]),
         ("tool", "sun"), ("assistant", "Sun.", [("reasoning_content", "so")])),
    chat(("user", "Weather?"), ("assistant", "\nI look.", [("tool_calls", [call("weather", {"city": "Ulm"})])]), ("tool", "sun"), ("assistant", "Sun.")),
    chat(("user", "a"), ("assistant", "b", [("reasoning_content", "c")]), ("user", "<tool_response>\nx\n</tool_response>"), ("assistant", "d", [("reasoning_content", "e")])),
]
TRIMMED = [
    chat(("system", "\n s \n"), ("user", " \t\u00a0q\u3000\x1c\n"), ("assistant", "\x0b\u2028 a b \u0085"), ("tool", " t ")),
    chat(("user", "\u200b zero \ufeff"), ("assistant", " \n ")),
]

# name: (replacements that put the tags, [(settings, conversations to render with them), ...])
TEMPLATES = {
    "chatml": (CHATML_TAGS, [({}, PLAIN)]),
    "smollm2": (CHATML_TAGS, [({}, PLAIN + [chat(("system", ""), ("user", "q"), ("assistant", "a"))])]),
    "qwen2_5": (QWEN2_5_TAGS, [({}, PLAIN + TOOLS)]),
    "qwen3": (QWEN3_TAGS, [({}, PLAIN + TOOLS + THOUGHT), ({"enable_thinking": True}, THOUGHT), ({"enable_thinking": False}, THOUGHT)]),
    "qwen3_first": (QWEN3_TAGS, [({}, TOOLS + THOUGHT)]),
    "qwen3_instruct": (QWEN3_INSTRUCT_TAGS, [({}, PLAIN + TOOLS)]),
    "llama3": (LLAMA3_TAGS, [({"bos_token": "<|begin_of_text|>"}, PLAIN + TRIMMED)]),
    "llama3_1": (LLAMA3_1_TAGS, [({"bos_token": "<|begin_of_text|>"}, PLAIN + TRIMMED + ONE_CALL)]),
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


def key_of(template):
    return xxhash.xxh3_64_hexdigest(normalized(template).encode())


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
    return {"messages": messages, **options, "text": text, "prompt_end": prompt[len(text):],
            "answers": [[byte_offset(text, begin), byte_offset(text, end)] for begin, end in spans]}


def write(name, head, cases):
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    text = f"[\n{lines}\n]\n" if head is None else json.dumps(head)[:-1] + f', "cases": [\n{lines}\n]}}\n'
    (OUT / name).write_text(text, encoding="utf-8")


def make_template_golden(name, path):
    tags, groups = TEMPLATES[name]
    template = template_of(path)
    cases = [template_case(template, tags, messages, options) for options, conversations in groups for messages in conversations]
    write(f"{name}_template_golden.json", {"template_key": key_of(template)}, cases)


def tokenised(tokenizer, template, case):
    """Ids of the whole chat, and 1 for tokens wholly inside an answer."""
    text = case["text"]
    ids = tokenizer.apply_chat_template(case["messages"], chat_template=template, tokenize=True, return_dict=False)
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    assert encoded["input_ids"] == ids
    spans = [(byte_offset(text, begin), byte_offset(text, end)) for begin, end in encoded["offset_mapping"]]
    return {"ids": ids, "loss_mask": [int(any(b <= x and y <= e for b, e in case["answers"])) for x, y in spans]}


def make_tiny_golden():
    tokenizer = PreTrainedTokenizerFast.from_pretrained(TINY)
    assert (tokenizer.eos_token_id, tokenizer.pad_token_id, tokenizer.mask_token_id) == (2, 0, 3)
    cases = []
    for messages in PLAIN:
        case = template_case(tokenizer.chat_template, CHATML_TAGS, messages, {})
        cases.append({"messages": messages, "text": case["text"], "prompt": case["text"] + case["prompt_end"],
                      **tokenised(tokenizer, tokenizer.chat_template, case)})
    write("tiny_chat_golden.json", None, cases)


def make_ids_golden(name, path):
    """Ids and masks with the small tokenizer of Qwen's kind."""
    tags, _ = TEMPLATES[name]
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(ROOT / "tests/data/tokenizer/qwen_style.json"))
    template = template_of(path)
    cases = []
    for messages in TOOLS[:2] + THOUGHT:
        case = template_case(template, tags, messages, {})
        cases.append({"messages": messages, **tokenised(tokenizer, template, case)})
    write(f"{name}_ids_golden.json", {"template_key": key_of(template)}, cases)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    make_tiny_golden()
    make_template_golden("chatml", TINY)
    for argument in sys.argv[1:]:
        name, path = argument.split("=", 1)
        make_template_golden(name, path)
        if name == "qwen3":
            make_ids_golden(name, path)


if __name__ == "__main__":
    main()
