// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stages/data/templates/chat_renderer.h"

namespace dflash {

/// Returns what renders as the published template with this `template_key` does, or null where none is known.
std::unique_ptr<const ChatRenderer> known_template(std::uint64_t key);

/// The names of the known templates, for messages.
std::string known_template_names();

}  // namespace dflash
