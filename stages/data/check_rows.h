// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "stages/data/document.h"
#include "stages/data/text_codec.h"

namespace dflash {

/// How much of the data some rows are.
enum class RowSample {
  kAll,    // all of it, or enough to tell
  kFirst,  // its begin: whether rows can train is not asked
};

/// Refuses data with which training cannot mean anything: no supervised token, no row with an anchor (a supervised
/// token and a supervised next one), ids beyond the vocabulary, rows longer than the target takes, a mask token (where
/// the codec has one) that rows contain, so that a slot to be drafted would look like their text. Throws UserError with
/// `place` and a row, its supervised tokens marked.
void check_rows(std::span<const Document> rows, const TextCodec& codec, const std::string& place,
                RowSample sample = RowSample::kAll);

/// The part of it that each row must keep for itself: its ids, its length, and no mask token.
void check_row(const Document& row, const TextCodec& codec, const std::string& place);

/// Returns the row's text with each supervised run in »« and line breaks as \n; long texts are cut.
std::string marked_text(const Document& row, const Tokenizer& tokenizer);

}  // namespace dflash
