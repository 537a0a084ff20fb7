// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stages/data/templates/chat_renderer.h"

namespace dflash {

/// What a template is rendered with beside the conversation.
struct TemplateVariables {
  Thinking thinking = Thinking::kUnset;
  std::string bos_token{};
};

/// Returns what renders as the published template with this `template_key` does, or null where none is known.
std::unique_ptr<const ChatRenderer> known_template(std::uint64_t key, const TemplateVariables& variables = {});

/// The names of the known templates, for messages.
std::string known_template_names();

}  // namespace dflash
