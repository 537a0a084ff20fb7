// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stages/data/chat_rows.h"
#include "stages/data/document.h"
#include "stages/data/text_codec.h"

namespace dflash {

/// Which assistant turns are trained on.
enum class LossTurns { kAll, kLast };

/// Why a row cannot be rendered by the target's chat template so that it means what it says, or nothing. Throws
/// UserError where it needs a template and the target has none that is known.
std::optional<std::string> rendering_problem(const ChatRow& row, const TextCodec& codec);

/// Renders and tokenises a conversation as a whole; what is beyond `max_length` tokens is cut off. Supervised are the
/// tokens that lie wholly within what an assistant writes, its end-of-turn token included, or within a span of a
/// rendered row.
Document chat_document(const ChatRow& row, const TextCodec& codec, std::int64_t max_length, LossTurns turns);

/// Says whether an anchor fits: a supervised token followed by a supervised one.
bool has_anchor(const std::vector<std::uint8_t>& loss_mask);

}  // namespace dflash
