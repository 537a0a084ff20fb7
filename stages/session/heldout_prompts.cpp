// SPDX-License-Identifier: Apache-2.0
#include "stages/session/heldout_prompts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "framework/core/error.h"
#include "stages/data/chat_document.h"
#include "stages/data/plain_text.h"
#include "stages/data/text_rows.h"

namespace dflash {
namespace {

constexpr std::int64_t kLongest = 1 << 20;

ChatRow chat_at(TextRows& rows, std::int64_t index, const TextCodec& codec) {
  std::variant<ChatRow, BadRow> read = read_chat_row(rows.row(index), codec);
  if (const auto* bad = std::get_if<BadRow>(&read)) {
    throw UserError(fmt::format("{}: {}", rows.place(index), bad->reason));
  }
  return std::get<ChatRow>(std::move(read));
}

bool is_jsonl(const std::filesystem::path& path) { return path.string().find(".jsonl") != std::string::npos; }

std::vector<std::int64_t> wide(const std::vector<std::int32_t>& ids) { return {ids.begin(), ids.end()}; }

/// A text that was rendered elsewhere is cut where its last span begins.
HeldoutPrompt rendered_prompt(const ChatRow& row, const TextCodec& codec) {
  const Document whole = chat_document(row, codec, kLongest, LossTurns::kLast);
  const auto begin = std::ranges::find(whole.loss_mask, 1) - whole.loss_mask.begin();
  const std::vector<std::int64_t> ids = wide(whole.ids);
  return {.ids = {ids.begin(), ids.begin() + begin},
          .answer = {ids.begin() + begin, ids.end()},
          .text = question_of(row),
          .tag = row.tag};
}

HeldoutPrompt heldout_prompt(ChatRow row, const TextCodec& codec, const std::string& place) {
  if (row.rendered) {
    return rendered_prompt(row, codec);
  }
  HeldoutPrompt prompt;
  const std::vector<std::int64_t> whole = wide(chat_document(row, codec, kLongest, LossTurns::kAll).ids);
  while (!row.messages.empty() && row.messages.back().role == "assistant") {
    row.messages.pop_back();
  }
  DFLASH_USER_CHECK(!row.messages.empty(), "{}: there is no user turn to answer", place);
  prompt.ids = wide(codec.tokenizer.encode(codec.chat.render_prompt(row.messages, true)));
  prompt.text = row.messages.back().content;
  prompt.tag = row.tag;
  // A template may render the turns before an answer differently once the answer is there: then it does not fit.
  if (std::ranges::mismatch(prompt.ids, whole).in1 == prompt.ids.end()) {
    prompt.answer.assign(whole.begin() + std::ssize(prompt.ids), whole.end());
  }
  return prompt;
}

}  // namespace

std::vector<HeldoutPrompt> read_heldout_prompts(const std::filesystem::path& path, const TextCodec& codec,
                                                std::int64_t count) {
  TextRows rows{path, RowUnit::kLine};
  std::vector<HeldoutPrompt> prompts;
  std::set<std::vector<std::int64_t>> seen;
  for (std::int64_t index = 0; index < rows.size() && static_cast<std::int64_t>(prompts.size()) < count; ++index) {
    HeldoutPrompt prompt = heldout_prompt(chat_at(rows, index, codec), codec, rows.place(index));
    if (seen.insert(prompt.ids).second) {
      prompts.push_back(std::move(prompt));
    }
  }
  return prompts;
}

NgramSet answer_ngrams(const std::filesystem::path& path, const TextCodec& codec) {
  TextRows rows{path, RowUnit::kLine};
  NgramSet set;
  for (std::int64_t index = 0; index < rows.size(); ++index) {
    const std::variant<ChatRow, BadRow> read = read_chat_row(rows.row(index), codec);
    const auto* row = std::get_if<ChatRow>(&read);
    if (row == nullptr) {
      continue;
    }
    const Document document = chat_document(*row, codec, kLongest, LossTurns::kAll);
    std::vector<std::int64_t> answer;
    for (std::size_t i = 0; i < document.ids.size(); ++i) {
      if (document.loss_mask[i] != 0) {
        answer.push_back(document.ids[i]);
      }
    }
    set.add(answer);
  }
  return set;
}

std::vector<std::vector<std::int64_t>> read_heldout_documents(const std::filesystem::path& path, const TextCodec& codec,
                                                              std::int64_t count, std::int64_t max_length) {
  const bool jsonl = is_jsonl(path);
  TextRows rows{path, jsonl ? RowUnit::kLine : RowUnit::kParagraph};
  std::vector<std::vector<std::int64_t>> documents;
  for (std::int64_t index = 0; index < std::min(count, rows.size()); ++index) {
    ChatRow chat;
    if (jsonl) {
      chat = chat_at(rows, index, codec);
    } else {
      const std::string text = rows.row(index);
      const std::optional<SplitText> parts = split_first_sentence(text);
      if (!parts) {
        continue;
      }
      chat.messages = {{.role = "user", .content = std::string{parts->question}},
                       {.role = "assistant", .content = std::string{parts->answer}}};
    }
    documents.push_back(wide(chat_document(chat, codec, max_length, LossTurns::kAll).ids));
  }
  DFLASH_USER_CHECK(!documents.empty(), "{} has no usable row", path.string());
  return documents;
}

}  // namespace dflash
