// SPDX-License-Identifier: Apache-2.0
#include "stages/data/tokenizer_file.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/data/json_file.h"
#include "stages/data/nfc.h"
#include "stages/data/placed_json.h"

namespace dflash {

namespace {

constexpr std::int64_t kBytes = 256;

void read_normalizer(const PlacedJson& normalizer, TokenizerSpec& spec) {
  if (normalizer.is_null()) {
    return;
  }
  const std::string type = normalizer["type"].string();
  if (type == "Sequence") {
    normalizer.refuse_others({"type", "normalizers"});
    for (const PlacedJson& part : normalizer["normalizers"].elements()) {
      read_normalizer(part, spec);
    }
    return;
  }
  normalizer["type"].require(type == "NFC", "NFC or null");
  normalizer.refuse_others({"type"});
  spec.nfc = true;
}

SplitStep read_split(const PlacedJson& split) {
  split.refuse_others({"type", "pattern", "behavior", "invert"});
  const PlacedJson pattern = split["pattern"];
  const bool is_regex = pattern.has("Regex");
  const PlacedJson text = pattern[is_regex ? "Regex" : "String"];
  const PlacedJson behavior = split["behavior"];
  behavior.require(behavior.string() == "Isolated" || behavior.string() == "Removed", "Isolated or Removed");
  return {.pattern = SplitPattern{is_regex ? text.string() : quote_pattern(text.string()), text.place()},
          .behavior = behavior.string() == "Isolated" ? SplitBehavior::kIsolated : SplitBehavior::kRemoved,
          .invert = split.boolean_or("invert", false)};
}

/// Returns whether a ByteLevel was among the pre-tokenisers.
bool read_pre_tokenizer(const PlacedJson& pre_tokenizer, TokenizerSpec& spec) {
  const PlacedJson type = pre_tokenizer["type"];
  if (type.string() == "Sequence") {
    pre_tokenizer.refuse_others({"type", "pretokenizers"});
    bool byte_level = false;
    for (const PlacedJson& part : pre_tokenizer["pretokenizers"].elements()) {
      part["type"].require(!byte_level, "nothing after ByteLevel");
      byte_level = read_pre_tokenizer(part, spec);
    }
    return byte_level;
  }
  if (type.string() == "Split") {
    spec.splits.push_back(read_split(pre_tokenizer));
    return false;
  }
  if (type.string() == "Digits") {
    pre_tokenizer.refuse_others({"type", "individual_digits"});
    const bool one_by_one = pre_tokenizer.boolean_or("individual_digits", false);
    spec.splits.push_back({.pattern = SplitPattern{one_by_one ? R"(\p{N})" : R"(\p{N}+)", pre_tokenizer.place()}});
    return false;
  }
  type.require(type.string() == "ByteLevel", "ByteLevel, Digits, Split, or a Sequence of these");
  pre_tokenizer.refuse_others({"type", "add_prefix_space", "trim_offsets", "use_regex"});
  pre_tokenizer.refuse_true("add_prefix_space");
  if (pre_tokenizer.boolean_or("use_regex", true)) {
    spec.splits.push_back({.pattern = SplitPattern{kByteLevelPattern, pre_tokenizer.place()}});
  }
  return true;
}

void read_vocabulary(const PlacedJson& model, TokenizerSpec& spec) {
  const PlacedJson vocabulary = model["vocab"];
  for (const auto& [text, id] : vocabulary.object()) {
    spec.vocabulary.add(text, vocabulary[text.c_str()].id());
  }
  DFLASH_USER_CHECK(spec.vocabulary.bytes_with_token() > 0,
                    "{}: no byte has a token; a vocabulary of byte-level BPE has them ('a', 'Ġ', ...)",
                    vocabulary.place());
}

std::pair<std::string, std::string> read_pair(const PlacedJson& merge) {
  if (merge.is_array()) {
    const std::vector<PlacedJson> parts = merge.elements();
    merge.require(parts.size() == 2, "two tokens");
    return {parts[0].string(), parts[1].string()};
  }
  const std::string text = merge.string();
  const std::size_t space = text.find(' ');
  merge.require(space != std::string::npos && text.find(' ', space + 1) == std::string::npos,
                "two tokens and one space");
  return {text.substr(0, space), text.substr(space + 1)};
}

void read_merges(const PlacedJson& model, TokenizerSpec& spec) {
  for (const PlacedJson& merge : model["merges"].elements()) {
    const auto [left, right] = read_pair(merge);
    const auto id_of = [&](const std::string& token) {
      const std::optional<std::int32_t> id = spec.vocabulary.id_of_text(token);
      DFLASH_USER_CHECK(id.has_value(), "{}: token '{}' is not in the vocabulary", merge.place(), token);
      return *id;
    };
    spec.merges.push_back({.left = id_of(left), .right = id_of(right), .merged = id_of(left + right)});
  }
}

void read_model(const PlacedJson& model, TokenizerSpec& spec) {
  if (model.has("type")) {
    model["type"].require(model["type"].string() == "BPE", "BPE");
  }
  model.refuse_others({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
                       "byte_fallback", "ignore_merges", "vocab", "merges"});
  model.refuse_value("dropout");
  model.refuse_text("continuing_subword_prefix");
  model.refuse_text("end_of_word_suffix");
  model.refuse_true("fuse_unk");
  model.refuse_true("byte_fallback");
  spec.ignore_merges = model.boolean_or("ignore_merges", false);
  read_vocabulary(model, spec);
  if (spec.vocabulary.bytes_with_token() < kBytes) {  // where all have one, nothing is unknown
    model.refuse_value("unk_token");
  }
  read_merges(model, spec);
}

void read_added_tokens(const PlacedJson& tokens, TokenizerSpec& spec) {
  for (const PlacedJson& token : tokens.elements()) {
    token.refuse_others({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
    AddedToken added{.id = token["id"].id(),
                     .content = token["content"].string(),
                     .single_word = token.boolean_or("single_word", false),
                     .lstrip = token.boolean_or("lstrip", false),
                     .rstrip = token.boolean_or("rstrip", false),
                     .normalized = token.boolean_or("normalized", true),
                     .special = token.boolean_or("special", false)};
    const std::optional<std::string_view> holder = spec.vocabulary.text_of(added.id);
    DFLASH_USER_CHECK(!holder || *holder == added.content, "{}: id {} of '{}' is taken by '{}'", token.place(),
                      added.id, added.content, holder.value_or(""));
    const std::optional<std::int32_t> known = spec.vocabulary.id_of_text(added.content);
    DFLASH_USER_CHECK(!known || *known == added.id, "{}: '{}' has id {} here and id {} in the vocabulary",
                      token.place(), added.content, added.id, known.value_or(-1));
    const bool composed = spec.nfc && added.normalized;
    spec.vocabulary.add_added(added.content, composed ? NfcText{added.content}.text() : added.content, added.id);
    spec.added_tokens.push_back(std::move(added));
  }
}

void check_decoder(const PlacedJson& decoder) {
  decoder.require(!decoder.is_null(), "a ByteLevel decoder");
  decoder["type"].require(decoder["type"].string() == "ByteLevel", "ByteLevel");
}

/// They frame a text with tokens that `encode` never adds, so only their kind is looked at.
void check_post_processor(const PlacedJson& processor) {
  if (processor.is_null()) {
    return;
  }
  const PlacedJson type = processor["type"];
  if (type.string() == "Sequence") {
    for (const PlacedJson& part : processor["processors"].elements()) {
      check_post_processor(part);
    }
    return;
  }
  const bool frames = type.string() == "ByteLevel" || type.string() == "TemplateProcessing" ||
                      type.string() == "BertProcessing" || type.string() == "RobertaProcessing";
  type.require(frames, "ByteLevel, TemplateProcessing, BertProcessing, RobertaProcessing, or a Sequence of these");
}

}  // namespace

TokenizerSpec parse_tokenizer_file(std::string_view text, const std::string& place) {
  const nlohmann::json content = parse_json_file(text, place);
  const PlacedJson root{content, place + ": "};
  TokenizerSpec spec;
  root.refuse_others({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer",
                      "post_processor", "decoder", "model"});
  root.refuse_value("truncation");
  root.refuse_value("padding");
  read_normalizer(root["normalizer"], spec);
  const PlacedJson pre_tokenizer = root["pre_tokenizer"];
  pre_tokenizer.require(!pre_tokenizer.is_null() && read_pre_tokenizer(pre_tokenizer, spec),
                        "a ByteLevel pre-tokenizer");
  check_post_processor(root["post_processor"]);
  check_decoder(root["decoder"]);
  read_model(root["model"], spec);
  read_added_tokens(root["added_tokens"], spec);
  return spec;
}

}  // namespace dflash
