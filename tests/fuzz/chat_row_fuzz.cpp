// SPDX-License-Identifier: Apache-2.0
// A line of a JSONL file of chats, rendered by every template that takes it: what an assistant writes lies within the
// text, turn behind turn, and a turn comes back as it is when it is written.
#include <memory>
#include <variant>

#include <nlohmann/json.hpp>

#include "stages/data/chat_rows.h"
#include "stages/data/templates/chatml.h"
#include "stages/data/templates/llama3.h"
#include "stages/data/templates/llama3_1.h"
#include "stages/data/templates/qwen2.h"
#include "stages/data/templates/qwen3.h"
#include "tests/fuzz/fuzz_target.h"

namespace dflash {
namespace {

using Renderers = std::vector<std::unique_ptr<const ChatRenderer>>;

Renderers all_renderers() {
  Renderers all;
  all.push_back(std::make_unique<ChatMl>("Be kind."));
  all.push_back(std::make_unique<Qwen2Chat>("", StringArguments::kQuoted));
  all.push_back(std::make_unique<Qwen2Chat>("Be kind.", StringArguments::kAsTheyStand));
  for (const Thinking thinking : {Thinking::kUnset, Thinking::kOn, Thinking::kOff}) {
    all.push_back(std::make_unique<Qwen3Chat>(thinking));
  }
  all.push_back(std::make_unique<Llama3Chat>("<|begin_of_text|>"));
  all.push_back(std::make_unique<Llama31Chat>("<|begin_of_text|>"));
  return all;
}

void check_spans(const RenderedChat& chat) {
  std::size_t last = 0;
  for (const TokenSpan& span : chat.answers) {
    DFLASH_CHECK(span.begin <= span.end && span.end <= chat.text.size(), "an answer from {} to {} in {} bytes",
                 span.begin, span.end, chat.text.size());
    DFLASH_CHECK(span.begin == span.end || span.begin >= last, "answers over one another");
    last = std::max(last, span.end);
  }
}

void check_row(const ChatRow& row, const Renderers& renderers) {
  (void)question_of(row);
  if (row.rendered) {
    check_spans(*row.rendered);
    return;
  }
  for (std::size_t i = 0; i < row.messages.size(); ++i) {
    const Json written = turn_json(row.messages[i]);
    DFLASH_CHECK(turn_json(read_turn(written, i + 1)) == written, "a turn comes back as another");
  }
  for (const auto& renderer : renderers) {
    if (!renderer->problem_of(row.messages)) {
      const RenderedChat chat = renderer->render(row.messages);
      DFLASH_CHECK(chat.answers.size() == row.messages.size(), "{} answers of {} turns", chat.answers.size(),
                   row.messages.size());
      check_spans(chat);
    }
  }
}

}  // namespace
}  // namespace dflash

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dflash::Renderers renderers = dflash::all_renderers();
  const std::string line = dflash::pieces_of(data, size, 1).front();
  for (const dflash::RowUse use : {dflash::RowUse::kTrain, dflash::RowUse::kGenerate}) {
    const auto parsed = dflash::parse_chat_row(line, use);
    if (const auto* row = std::get_if<dflash::ChatRow>(&parsed)) {
      dflash::check_row(*row, renderers);
    }
  }
  return 0;
}
