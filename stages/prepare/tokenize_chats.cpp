// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/tokenize_chats.h"

#include <utility>

#include "framework/core/error.h"
#include "framework/core/json_spot.h"
#include "framework/core/stage_check.h"
#include "stages/data/check_rows.h"
#include "stages/data/rejected_rows.h"
#include "stages/data/text_rows.h"
#include "stages/prepare/jsonl_lines.h"

namespace dflash {

namespace {
constexpr std::int64_t kSampleRows = 64;
}

// The lines come from a file, whose stage does not know what they shall become.
void TokenizeChats::check(StageCheck& check) const {
  const auto* codec = check.needs<TextCodec>("models.target");
  for (const Graph::Vertex* vertex : check.upstream()) {
    const auto* source = dynamic_cast<const JsonlLines*>(vertex->stage.get());
    if (codec != nullptr && source != nullptr) {
      if (const auto problem = problem_of_file(source->path(), *codec)) {
        check.add_at(pointer_to("/stages", vertex->name) + "/params/path", *problem);
      }
    }
  }
}

std::optional<std::string> TokenizeChats::problem_of_file(const std::string& path, const TextCodec& codec) {
  try {
    TextRows rows{path, RowUnit::kLine, kSampleRows};
    RejectedRows rejected;
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      const std::variant<ChatRow, BadRow> read = read_chat_row(rows.row(row), codec);
      if (const auto* bad = std::get_if<BadRow>(&read)) {
        rejected.add(rows.place(row), bad->reason);
      }
    }
    rejected.check_first(rows.size(), path);
  } catch (const UserError& error) {
    return error.what();
  }
  return std::nullopt;
}

void TokenizeChats::open(const StageEnv& env) { codec_ = &env.resources->get<TextCodec>(); }

TokenizedRows TokenizeChats::transform(TextLines lines, Firing& firing) {
  TokenizedRows made{.file = lines.file, .rows = std::ssize(lines.lines)};
  made.settings = {{"max_length", fmt::to_string(max_length())}, {"loss_turns", loss_turns.word()}};
  std::int64_t tokens = 0;
  for (std::size_t at = 0; at < lines.lines.size(); ++at) {
    add_row(lines, at, made);
  }
  for (const Document& document : made.documents) {
    tokens += std::ssize(document.ids);
  }
  firing.count("rows_in", made.rows);
  firing.count("rows_out", std::ssize(made.documents));
  firing.count("rows_rejected", std::ssize(made.rejected));
  firing.count("rows_without_anchor", made.without_anchor);
  firing.count("tokens", tokens);
  return made;
}

void TokenizeChats::add_row(const TextLines& lines, std::size_t at, TokenizedRows& made) const {
  const TextLines::Line& line = lines.lines[at];
  const std::variant<ChatRow, BadRow> read = read_chat_row(line.text, *codec_);
  if (const auto* bad = std::get_if<BadRow>(&read)) {
    made.rejected.emplace_back(fmt::format("{}:{}", lines.file, line.number), bad->reason);
    return;
  }
  Document document = chat_document(std::get<ChatRow>(read), *codec_, max_length(), loss_turns());
  document.row_id = lines.first_row + static_cast<std::int64_t>(at);
  document.conversation.clear();  // its tokens are what is wanted
  check_row(document, *codec_, lines.file);
  if (has_anchor(document.loss_mask)) {
    made.documents.push_back(std::move(document));
  } else {
    ++made.without_anchor;
  }
}

}  // namespace dflash
