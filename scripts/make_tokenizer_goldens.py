#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files in tests/data/tokenizer/: a small tokenizer built as Qwen3's is (NFC, split by regular expression, bytes),
with added tokens of every flag, and what the `tokenizers` package makes of some hundred texts with it and with the tiny
target's tokenizer. Needs `pip install tokenizers`. The tests only read the result.

    scripts/make_tokenizer_goldens.py
"""
import json
import lzma
import pathlib
import random
import unicodedata

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "tests/data/tokenizer"
QWEN_PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
                r"|\s*[\r\n]+|\s+(?!\S)|\s+")
SAMPLES = [
    "The quick brown fox doesn't jump; I'LL we'Ve YOU'RE it'S 's 'T '\u017f ''d", "Ünïcödé naïve façade e\u0301 a\u030a \ufb01 \u212b",
    "Привет, мир! Как дела?", "你好,世界。今天天气很好!", "こんにちは世界。カタカナ ガ か\u3099", "안녕하세요 \u1112\u1161\u11ab\u1100\u116e",
    "مرحبا بالعالم ١٢٣", "שלום עולם", "नमस्ते दुनिया १२३ क़", "สวัสดีชาวโลก", "Γειά σου Κόσμε", "🙂🎉👨‍👩‍👧‍👦🇩🇪👍🏽",
    "def f(x):\n\treturn x**2  # sq\n\n\n    if x != 3.14e-5:\r\n", '{"a": [1, 2, {"b": null}]}',
    "<|im_start|>user\nhi<|im_end|>\n<|endoftext|>", "<|im_end|>\u0338<|im_end|\u0301> <|im_en", "  \t\n\n \r\n\u00a0\u2003\u3000 \u0085\u180e\u200b\u2028 ",
    "100000 12,345.67 \u00bd \u2167 \u00b2 \u0663 \U0001d7d8", "a\u0315\u0300\u05aeb q\u0307\u0323 \u1e9b\u0323", "zażółć gęślą jaźń Đặng Việt Nam",
    "\x00\x01\x7f\ufeff\ufffd\ue000\U0010ffff", "[left]   [left]  [right]   x [both] y word wordy aword, word\u00e9 caf\u00e9 cafe\u0301",
]


def assigned(code_point):
    return unicodedata.category(chr(code_point)) not in ("Cn", "Cs")


def random_text(rng):
    parts = []
    for _ in range(rng.randint(1, 5)):
        kind = rng.random()
        sample = rng.choice(SAMPLES)
        begin = rng.randint(0, len(sample))
        if kind < 0.6:
            parts.append(sample[begin:begin + rng.randint(1, 12)])
        elif kind < 0.7:
            parts.append(rng.choice(" \t\n\r\u00a0\u3000") * rng.randint(1, 6))
        elif kind < 0.8:
            parts.append("".join(chr(c) for c in rng.choices(range(0x20000), k=3) if assigned(c)))
        elif kind < 0.9:
            parts.append(rng.choice("aeoAEO한かは") + "".join(chr(c) for c in rng.choices(range(0x300, 0x370), k=2)))
        else:
            parts.append(rng.choice("ab 1.<|-=") * rng.randint(1, 80))
    return "".join(parts)


def texts():
    rng = random.Random(7)
    stories = lzma.open(ROOT / "configs/tiny/stories.txt.xz", "rt", encoding="utf-8").read().strip().split("\n\n")
    return ["", " ", "a", *SAMPLES, *(rng.choice(stories)[:300] for _ in range(12)), *(random_text(rng) for _ in range(160))]


def qwen_style():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN_PATTERN), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=560, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(SAMPLES * 3 + texts()[25:40], trainer)
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")])
    tokenizer.add_tokens([
        AddedToken("<|im_end|>!", normalized=False), AddedToken("[left]", lstrip=True, normalized=False),
        AddedToken("[right]", rstrip=True, normalized=False), AddedToken("[both]", lstrip=True, rstrip=True, normalized=False),
        AddedToken("word", single_word=True, normalized=False), AddedToken("cafe\u0301", normalized=True)])
    return tokenizer


def write_golden(name, tokenizer):
    cases = []
    for text in texts():
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        cases.append({"text": text, "ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False),
                      "decoded_without_special": tokenizer.decode(ids, skip_special_tokens=True)})
    lines = ",\n".join(json.dumps(case, ensure_ascii=True, separators=(",", ":")) for case in cases)
    (OUT / name).write_text("[\n" + lines + "\n]\n", encoding="utf-8")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    tokenizer = qwen_style()
    content = json.loads(tokenizer.to_str())
    content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    (OUT / "qwen_style.json").write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    write_golden("qwen_style_golden.json", tokenizer)
    write_golden("tiny_golden.json", Tokenizer.from_file(str(ROOT / "configs/tiny/target/tokenizer.json")))


if __name__ == "__main__":
    main()
