// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stages/data/row_source.h"

namespace dflash {

/// A text cut into a question and its answer.
struct SplitText {
  std::string_view question;
  std::string_view answer;
};

/// Cuts behind the first sentence: a full stop, question or exclamation mark, with closing quotes, before white space.
/// White space around the cut is dropped. Nothing where there is no second sentence.
std::optional<SplitText> split_first_sentence(std::string_view text);

/// Paragraphs of a text file, each a document.
class PlainText final : public RowSource {
 public:
  enum class AsChat { kNo, kFirstSentence };
  enum class LossOn { kAll, kAssistant };

  static StageInfo info() { return {.type = "plain_text", .summary = "paragraphs of a text file, as documents"}; }

  Choice<AsChat> as_chat{*this,
                         "as_chat",
                         AsChat::kNo,
                         {{"no", AsChat::kNo}, {"first_sentence", AsChat::kFirstSentence}},
                         "whether the first sentence becomes the user's turn and the rest the assistant's"};
  Choice<LossOn> loss_on{*this,
                         "loss_on",
                         LossOn::kAll,
                         {{"all", LossOn::kAll}, {"assistant", LossOn::kAssistant}},
                         "which tokens are trained on; assistant needs as_chat"};

  PlainText() : RowSource{RowUnit::kParagraph} {}

  void check(StageCheck& check) const override;

 protected:
  [[nodiscard]] std::optional<std::string> problem_of(const std::string& row, const TextCodec& codec) const override;
  [[nodiscard]] std::string question_of(const std::string& row) const override;
  [[nodiscard]] Document document_of(const std::string& row, const TextCodec& codec) const override;
};

}  // namespace dflash
