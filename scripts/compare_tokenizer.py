#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our tokenizer with the `tokenizers` package, ids and speed, on one thread. Needs `pip install tokenizers` and
build/release/bench/tokenizer_bench.

    scripts/compare_tokenizer.py TOKENIZER.json [--texts stories] [--fuzzed 20000] [--seed 1]

The texts are for the speed: stories (the tiny target's), code (this project's), languages, han (random characters), long (runs without a
break), or a file with a text as a JSON string a line.
"""
import argparse
import json
import lzma
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from make_tokenizer_goldens import SAMPLES, random_text  # noqa: E402

BENCH = ROOT / "build/release/bench/tokenizer_bench"
ROUNDS = 5


def fuzzed(count, seed, special):
    rng = random.Random(seed)
    source = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("stages/**/*.cpp"))[:40]]
    for _ in range(count):
        kind = rng.random()
        if kind < 0.5:
            yield random_text(rng)
        elif kind < 0.65:
            text = rng.choice(source)
            begin = rng.randrange(len(text))
            yield text[begin:begin + rng.randint(1, 400)]
        elif kind < 0.8:
            yield " ".join(rng.choice(SAMPLES) for _ in range(rng.randint(1, 4)))
        elif kind < 0.9:
            yield "".join(rng.choice(special + [" ", "\n", "a", "1"]) for _ in range(rng.randint(1, 6)))
        else:
            yield "".join(chr(c) for c in rng.choices([*range(0xd800), *range(0xe000, 0x1f000)], k=rng.randint(1, 12)))


def stories():
    return lzma.open(ROOT / "configs/tiny/stories.txt.xz", "rt", encoding="utf-8").read().strip().split("\n\n")[:4000]


def code():
    return [path.read_text(encoding="utf-8") for part in ("framework", "stages", "tests") for path in sorted((ROOT / part).glob("**/*.cpp"))]


def languages():
    rng = random.Random(3)
    return [" ".join(rng.choice(SAMPLES[1:12]) for _ in range(60)) for _ in range(1500)]


def han():
    rng = random.Random(3)
    return ["".join(chr(c) for c in rng.choices(range(0x4e00, 0x9fa5), k=400)) for _ in range(800)]


def long():
    return ["a" * 200000, " " * 200000, "ab" * 100000, "\u00e9" * 100000, "<|im_start|>" * 5000, "\n" * 100000, "e\u0301" * 50000, "1" * 100000]


CORPORA = {corpus.__name__: corpus for corpus in (stories, code, languages, han, long)}


def written(texts, folder, name):
    path = pathlib.Path(folder) / name
    path.write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    return path


def ours(*arguments):
    return subprocess.run([BENCH, *arguments], check=True, capture_output=True, text=True).stdout


def compare_ids(tokenizer, path, texts, folder):
    found = [json.loads(line) for line in ours(path, written(texts, folder, "fuzzed.jsonl"), "--ids").splitlines()]
    wrong = [text for text, ids in zip(texts, found, strict=True) if tokenizer.encode(text, add_special_tokens=False).ids != ids]
    print(f"ids: {len(wrong)} of {len(texts)} texts differ")
    for text in wrong[:5]:
        print(f"  {text!a}")
    return not wrong


def compare_speed(tokenizer, path, texts, folder):
    print("ours:       ", ours(path, written(texts, folder, "speed.jsonl")).strip())
    size = sum(len(text.encode()) for text in texts)
    for name, encode in (("encode", tokenizer.encode), ("encode_batch_fast", None)):
        best = 1e300
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            if encode:
                for text in texts:
                    encode(text, add_special_tokens=False)
            else:
                tokenizer.encode_batch_fast(texts, add_special_tokens=False)
            best = min(best, time.perf_counter() - begin)
        print(f"tokenizers: {size} bytes, {name}, best of {ROUNDS}: {best:.4f} s, {size / best / 1e6:.2f} MB/s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tokenizer")
    parser.add_argument("--texts", default="stories")
    parser.add_argument("--fuzzed", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    packed = options.tokenizer.endswith(".xz")
    content = (lzma.open if packed else open)(options.tokenizer, "rt", encoding="utf-8").read()
    tokenizer = Tokenizer.from_str(content)
    special = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    if options.texts in CORPORA:
        texts = CORPORA[options.texts]()
    else:
        texts = [json.loads(line) for line in open(options.texts, encoding="utf-8")]
    with tempfile.TemporaryDirectory() as folder:
        same = compare_ids(tokenizer, options.tokenizer, list(fuzzed(options.fuzzed, options.seed, special)), folder)
        compare_speed(tokenizer, options.tokenizer, texts, folder)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
