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

}  // namespace

ChatTemplate::ChatTemplate(std::string_view text, const std::string& place)
    : hash_{XXH3_64bits(text.data(), text.size())}, renderer_{known_template(template_key(text))} {
  DFLASH_USER_CHECK(renderer_ != nullptr,
                    "{}: this chat template is not supported (XXH3 {:016x}, begins '{}'); known: {}", place,
                    template_key(text), text.substr(0, 60), known_template_names());
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

RenderedChat ChatTemplate::render(std::span<const ChatMessage> messages) const { return renderer_->render(messages); }

std::string ChatTemplate::render_prompt(std::span<const ChatMessage> messages, bool add_generation_prompt) const {
  return renderer_->render(messages).text + (add_generation_prompt ? renderer_->answer_start() : "");
}

}  // namespace dflash
