// SPDX-License-Identifier: Apache-2.0
#include "stages/data/chat_template.h"

#define XXH_INLINE_ALL
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "framework/core/error.h"
#include "stages/data/json_file.h"
#include "stages/data/placed_json.h"
#include "stages/data/text_file.h"

namespace dflash {

namespace {

constexpr std::string_view kChatMl =
    R"({% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}})"
    R"({% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %})";

constexpr std::string_view kStart = "<|im_start|>";
constexpr std::string_view kEnd = "<|im_end|>";

/// In a Jinja string a line break means what its escape means. Elsewhere the known template has none.
std::string with_escaped_newlines(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '\n' ? std::string_view{"\\n"} : std::string_view{&c, 1};
  }
  return escaped;
}

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

}  // namespace

ChatTemplate::ChatTemplate(std::string_view text, const std::string& place)
    : hash_{XXH3_64bits(text.data(), text.size())} {
  if (text.ends_with('\n')) {  // Jinja drops one newline at the end
    text.remove_suffix(1);
  }
  DFLASH_USER_CHECK(
      with_escaped_newlines(text) == kChatMl,
      "{}: this chat template is not supported (XXH3 {:016x}, begins '{}'); known: ChatML without a default "
      "system turn, '{}'",
      place, hash_, text.substr(0, 60), kChatMl);
}

ChatTemplate ChatTemplate::load(const std::filesystem::path& folder) {
  const std::filesystem::path own_file = folder / "chat_template.jinja";
  if (std::filesystem::exists(own_file)) {
    return {read_text_file(own_file), own_file.string()};
  }
  const std::filesystem::path config_file = folder / "tokenizer_config.json";
  DFLASH_USER_CHECK(std::filesystem::exists(config_file), "no chat template: there is neither {} nor {}",
                    own_file.string(), config_file.string());
  const nlohmann::json config = load_json(config_file);
  const PlacedJson root{config, config_file.string() + ": "};
  DFLASH_USER_CHECK(root.has("chat_template"), "no chat template: {} has no key 'chat_template', and there is no {}",
                    config_file.string(), own_file.string());
  const PlacedJson entry = root["chat_template"];
  return {template_text(entry), entry.place()};
}

RenderedChat ChatTemplate::render(std::span<const ChatMessage> messages) const {
  RenderedChat chat;
  for (const ChatMessage& message : messages) {
    chat.text += fmt::format("{}{}\n", kStart, message.role);
    const std::size_t begin = chat.text.size();
    chat.text += fmt::format("{}{}", message.content, kEnd);
    const std::size_t end = message.role == "assistant" ? chat.text.size() : begin;
    chat.answers.push_back({.begin = begin, .end = end});
    chat.text += '\n';
  }
  return chat;
}

std::string ChatTemplate::render_prompt(std::span<const ChatMessage> messages, bool add_generation_prompt) const {
  std::string text = render(messages).text;
  if (add_generation_prompt) {
    text += fmt::format("{}assistant\n", kStart);
  }
  return text;
}

}  // namespace dflash
