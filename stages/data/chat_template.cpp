// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_template.h"

#define XXH_INLINE_ALL
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "framework/core/error.h"
#include "stages/data/json_file.h"
#include "stages/data/placed_json.h"
#include "stages/data/templates/known_templates.h"
#include "stages/data/templates/template_text.h"
#include "stages/data/text_file.h"

namespace dflash {

namespace {

/// The text of `chat_template`: a string, or a list of named ones of which "default" counts.
std::string template_text(const PlacedJson& entry) {
  if (!entry.is_array()) {
    return entry.string();
  }
  for (const PlacedJson& named : entry.elements()) {
    if (named["name"].string() == "default") {
      return named["template"].string();
    }
  }
  entry.require(false, "a list with a template named 'default'");
  return {};
}

/// A special token of `tokenizer_config.json`: a text, or an object with one; empty where there is none.
std::string token_text(const PlacedJson& entry) {
  if (entry.is_null()) {
    return {};
  }
  return entry.has("content") ? entry["content"].string() : entry.string();
}

}  // namespace

ChatTemplate::ChatTemplate(std::string_view text, const std::string& place, Thinking thinking,
                           const std::string& bos_token)
    : thinking_{thinking},
      hash_{XXH3_64bits(text.data(), text.size())},
      renderer_{known_template(template_key(text), {.thinking = thinking, .bos_token = bos_token})} {
  if (renderer_ == nullptr) {
    refusal_ = fmt::format(
        "{}: this chat template is not known (key {:016x}, begins '{}'), so chats cannot be rendered as the target's "
        "own; known: {}; rows of 'text' with 'spans' need no template",
        place, template_key(text), text.substr(0, 60), known_template_names());
  }
}

ChatTemplate ChatTemplate::load(const std::filesystem::path& folder, Thinking thinking) {
  const std::filesystem::path own_file = folder / "chat_template.jinja";
  const std::filesystem::path config_file = folder / "tokenizer_config.json";
  const bool has_config = std::filesystem::exists(config_file);
  const nlohmann::json config = has_config ? load_json(config_file) : nlohmann::json::object();
  const PlacedJson root{config, config_file.string() + ": "};
  const std::string bos_token = token_text(root["bos_token"]);
  if (std::filesystem::exists(own_file)) {
    return {read_text_file(own_file), own_file.string(), thinking, bos_token};
  }
  if (!root.has("chat_template")) {
    return ChatTemplate{
        fmt::format("no chat template: {} {}, and there is no {}; rows of 'text' with 'spans' need none",
                    config_file.string(), has_config ? "has no key 'chat_template'" : "is missing", own_file.string())};
  }
  const PlacedJson entry = root["chat_template"];
  return {template_text(entry), entry.place(), thinking, bos_token};
}

const ChatRenderer& ChatTemplate::renderer() const {
  DFLASH_USER_CHECK(renderer_ != nullptr, "{}", refusal_);
  return *renderer_;
}

std::optional<std::string> ChatTemplate::problem_of(std::span<const ChatMessage> messages) const {
  return renderer().problem_of(messages);
}

RenderedChat ChatTemplate::render(std::span<const ChatMessage> messages) const { return renderer().render(messages); }

std::string ChatTemplate::render_prompt(std::span<const ChatMessage> messages, bool add_generation_prompt) const {
  return renderer().render(messages).text + (add_generation_prompt ? renderer().answer_start() : "");
}

}  // namespace dflash
