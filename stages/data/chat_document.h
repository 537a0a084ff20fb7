// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "stages/data/chat_rows.h"
#include "stages/data/document.h"
#include "stages/data/text_codec.h"

namespace dflash {

/// Which assistant turns are trained on.
enum class LossTurns { kAll, kLast };

/// Parses a line, see parse_chat_row, and refuses also what the target's chat template cannot render so that it means
/// what it says. Throws UserError where the row needs a template and the target has none that is known.
std::variant<ChatRow, BadRow> read_chat_row(std::string_view line, const TextCodec& codec, RowUse use = RowUse::kTrain);

/// Renders and tokenises a conversation as a whole; what is beyond `max_length` tokens is cut off. Supervised are the
/// tokens that lie wholly within what an assistant writes, its end-of-turn token included, or within a span of a
/// rendered row.
Document chat_document(const ChatRow& row, const TextCodec& codec, std::int64_t max_length, LossTurns turns);

/// Says whether an anchor fits: a supervised token followed by a supervised one.
bool has_anchor(const std::vector<std::uint8_t>& loss_mask);

}  // namespace dflash
