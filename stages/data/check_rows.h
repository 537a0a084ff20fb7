// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "stages/data/document.h"
#include "stages/data/text_codec.h"

namespace dflash {

/// What besides the rows must be right.
struct RowNeeds {
  bool mask_token = true;  // training a drafter puts the mask token into the drafted slots
};

/// Refuses data with which training cannot mean anything: no supervised token, no row with an anchor (a supervised
/// token and a supervised next one), ids beyond the vocabulary, a mask token that is missing or is also pad or eos.
/// Throws UserError with `place` and the first row, its supervised tokens marked.
void check_rows(std::span<const Document> rows, const TextCodec& codec, const std::string& place, RowNeeds needs = {});

/// Returns the row's text with each supervised run in »«; long texts are cut.
std::string marked_text(const Document& row, const Tokenizer& tokenizer);

}  // namespace dflash
