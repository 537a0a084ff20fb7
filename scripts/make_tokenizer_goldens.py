#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files in tests/data/tokenizer/: small tokenizers built as those of Qwen2/3 (NFC, split by regular expression, bytes;
with added tokens of every flag), SmolLM2 (digits one by one, GPT-2's split, some bytes without a token) and Llama 3 (merges
ignored for whole entries, merges as pairs, a text's begin added after the fact) are, and what the `tokenizers` package makes of
some hundred texts with them and with the tiny target's tokenizer. Needs `pip install tokenizers` (0.23; older ones decode a normalised added token otherwise). The tests only read the
result, in which `decoded` is left out where it is the text, and `decoded_without_special` where it is `decoded`.

    scripts/make_tokenizer_goldens.py
"""
import json
import lzma
import pathlib
import random
import unicodedata

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "tests/data/tokenizer"
QWEN_PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
                r"|\s*[\r\n]+|\s+(?!\S)|\s+")
LLAMA3_PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
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
    newer = "\u1ab5\U000119e0 \U00011935\U00011930 e\u0301\u07fde\u0301\u07fd\u0301\u0323"  # than the package's tables
    return ["", " ", "a", newer, *SAMPLES, *(rng.choice(stories)[:300] for _ in range(12)), *(random_text(rng) for _ in range(220))]


def qwen_style():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN_PATTERN), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=560, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(SAMPLES * 3 + texts()[26:41], trainer)
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")])
    tokenizer.add_tokens([
        AddedToken("<|im_end|>!", normalized=False), AddedToken("[left]", lstrip=True, normalized=False),
        AddedToken("[right]", rstrip=True, normalized=False), AddedToken("[both]", lstrip=True, rstrip=True, normalized=False),
        AddedToken("word", single_word=True, normalized=False), AddedToken("cafe\u0301", normalized=True)])
    return tokenizer


def smollm2_style():
    """Its vocabulary lacks some bytes, unused ones and ones that texts have."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel()
    assert {byte_character(b) for b in range(256)} == set(pre_tokenizers.ByteLevel.alphabet())
    missing = {byte_character(b) for b in (0x00, 0x07, 0x7f, 0x85, 0xc0, 0xc1, 0xcc, 0xef, 0xf5, 0xff)}
    alphabet = sorted(set(pre_tokenizers.ByteLevel.alphabet()) - missing)
    special = [AddedToken(t, special=True, normalized=False) for t in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")]
    trainer = trainers.BpeTrainer(vocab_size=520, initial_alphabet=alphabet, limit_alphabet=len(alphabet), special_tokens=special,
                                  show_progress=False)
    tokenizer.train_from_iterator([without(text, missing) for text in SAMPLES * 3 + texts()[26:41]], trainer)
    assert not missing & set(tokenizer.get_vocab())
    return tokenizer


def byte_character(byte):
    """GPT-2's table."""
    printable = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    others = [b for b in range(256) if b not in printable]
    return chr(byte) if byte in printable else chr(0x100 + others.index(byte))


def without(text, missing):
    return "".join(c for c in text if not missing & {byte_character(b) for b in c.encode()})


def llama3_style():
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3_PATTERN), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=560, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(SAMPLES * 3 + texts()[26:41], trainer)
    content = json.loads(tokenizer.to_str())
    del content["model"]["merges"][::5]  # entries that only the look-up of whole pieces finds
    tokenizer = Tokenizer.from_str(json.dumps(content))
    names = ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in names])
    begin = tokenizer.token_to_id(names[0])
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=True),
        processors.TemplateProcessing(single=f"{names[0]} $A", pair=f"{names[0]} $A {names[0]}:1 $B:1", special_tokens=[(names[0], begin)])])
    return tokenizer


def write_golden(name, tokenizer):
    lines = []
    for text in texts():
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        case = {"text": text, "ids": ids}
        decoded, plain = (tokenizer.decode(ids, skip_special_tokens=skip) for skip in (False, True))
        case |= {"decoded": decoded} if decoded != text else {}
        case |= {"decoded_without_special": plain} if plain != decoded else {}
        lines.append(json.dumps(case, ensure_ascii=True, separators=(",", ":")))
    (OUT / name).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def write_tokenizer(name, tokenizer, merges_as_text):
    content = json.loads(tokenizer.to_str())
    if merges_as_text:
        content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
    (OUT / name).write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for name, make, merges_as_text in (("qwen", qwen_style, True), ("smollm2", smollm2_style, True), ("llama3", llama3_style, False)):
        tokenizer = make()
        write_tokenizer(f"{name}_style.json", tokenizer, merges_as_text)
        write_golden(f"{name}_style_golden.json", tokenizer)
    write_golden("tiny_golden.json", Tokenizer.from_file(str(ROOT / "configs/tiny/target/tokenizer.json")))


if __name__ == "__main__":
    main()
