#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The usual way to prepare chats, to measure `graphs/prepare.json` beside: the packages `datasets`, `transformers` and `tokenizers`.
Renders each row by the target's chat template, tokenises it, marks the assistant's tokens by their offsets, and writes Arrow files.

    bench/prepare_with_datasets.py TARGET_FOLDER CHATS.jsonl OUT_FOLDER [PROCESSES]        prints rows per second
"""
import os
import sys
import time

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
import datasets
from transformers import AutoTokenizer

START, END = "<|im_start|>assistant\n", "<|im_end|>"


def main():
    folder, chats, out = sys.argv[1:4]
    processes = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    tokenizer = AutoTokenizer.from_pretrained(folder)
    datasets.disable_caching()
    datasets.disable_progress_bars()

    def prepare(batch):
        texts = [tokenizer.apply_chat_template(messages, tokenize=False) for messages in batch["messages"]]
        encoded = tokenizer(texts, add_special_tokens=False, truncation=True, max_length=2048, return_offsets_mapping=True)
        masks = []
        for text, offsets in zip(texts, encoded["offset_mapping"]):
            spans, at = [], text.find(START)
            while at >= 0:
                begin = at + len(START)
                end = text.index(END, begin) + len(END)
                spans.append((begin, end))
                at = text.find(START, end)
            masks.append([int(any(b <= x and y <= e for b, e in spans)) for x, y in offsets])
        return {"ids": encoded["input_ids"], "loss_mask": masks}

    begin = time.perf_counter()
    rows = datasets.load_dataset("json", data_files=chats, split="train", cache_dir=out + ".cache")
    rows = rows.map(prepare, batched=True, batch_size=256, num_proc=processes, remove_columns=rows.column_names)
    rows.save_to_disk(out)
    seconds = time.perf_counter() - begin
    print(f"{len(rows)} rows in {seconds:.1f} s: {len(rows) / seconds:.0f} rows/s, {sum(map(len, rows[:100]['ids']))} tokens in the first 100")


if __name__ == "__main__":
    main()
