// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/generate_answers.h"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "stages/generate/chat_json.h"
#include "stages/models/generate.h"
#include "stages/session/needed_models.h"

namespace dflash {

namespace {
constexpr const char* kUnfinished = "unfinished";
constexpr const char* kTooLong = "too_long";
}  // namespace

void GenerateAnswers::check(StageCheck& check) const { (void)needed_target(check); }

void GenerateAnswers::open(const StageEnv& env) {
  name_ = env.name;
  models_ = &env.resources->get<Models>();
  codec_ = &env.resources->get<TextCodec>();
  log_ = env.log;
  seed_ = env.seed;
  target_ = models_->target_weights();
}

void GenerateAnswers::fire(Firing& firing) {
  Document document = firing.take(documents);
  DFLASH_USER_CHECK(!document.conversation.empty(),
                    "row {} is no chat, so there is nothing to answer; the data stage "
                    "must give chats",
                    document.row_id);
  pending_.push_back(std::move(document));
  if (static_cast<std::int64_t>(pending_.size()) == batch()) {
    answer_pending(firing);
  }
}

void GenerateAnswers::drain(Firing& firing) {
  if (!pending_.empty()) {
    answer_pending(firing);
  }
}

void GenerateAnswers::answer_pending(Firing& firing) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Chat> chats;
  chats.reserve(pending_.size());
  for (Document& document : pending_) {
    chats.push_back({.dialogue = Dialogue{std::move(document.conversation), turns()},
                     .row_id = document.row_id,
                     .tag = std::move(document.tag)});
  }
  pending_.clear();
  const auto next_due = [&] {
    std::vector<Chat*> due;
    for (Chat& chat : chats) {
      if (chat.left_out == nullptr && chat.dialogue.next()) {
        due.push_back(&chat);
      }
    }
    return due;
  };
  std::int64_t tokens = 0;
  for (std::vector<Chat*> due = next_due(); !due.empty(); due = next_due()) {
    tokens += answer_once(due);
  }
  JsonRows made;
  for (const Chat& chat : chats) {
    if (chat.left_out != nullptr) {
      firing.count(chat.left_out, 1);
      leave_out(chat, made);
    } else {
      made.lines.push_back(chat_row_json(chat.dialogue.messages(), chat.tag).dump());
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  firing.count("tokens", tokens);
  log_->set_metric("tokens_per_s", static_cast<double>(tokens) / std::max(seconds.count(), 1e-9));
  firing.emit(rows, std::move(made));
}

std::int64_t GenerateAnswers::answer_once(const std::vector<Chat*>& chats) {
  std::vector<Chat*> asked;
  std::vector<Prompt> prompts;
  for (Chat* chat : chats) {
    std::vector<std::int64_t> ids = prompt_of(*chat);
    if (std::ssize(ids) + max_new_tokens() > models_->target_config().max_position_embeddings) {
      chat->left_out = kTooLong;
    } else {
      asked.push_back(chat);
      prompts.push_back({.ids = std::move(ids), .row_id = chat->row_id});
    }
  }
  const GenerateOptions options{.max_new_tokens = max_new_tokens(),
                                .stop_ids = {codec_->stop_ids.begin(), codec_->stop_ids.end()},
                                .sampling = {.temperature = temperature(), .seed = seed_}};
  const std::vector<std::vector<std::int64_t>> answers = generate(*target_, models_->target_config(), prompts, options);
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::vector<std::int32_t> ids{answers[i].begin(), answers[i].end()};
    tokens += std::ssize(ids);
    const bool finished = std::ranges::count(options.stop_ids, answers[i].back()) > 0;
    if (!finished && unfinished() == Unfinished::kDrop) {
      asked[i]->left_out = kUnfinished;
    } else {
      asked[i]->dialogue.answer(codec_->tokenizer.decode(ids, /*skip_special=*/true));
    }
  }
  return tokens;
}

void GenerateAnswers::leave_out(const Chat& chat, JsonRows& made) const {
  JsonRows::LeftOut& all = made.left_out[chat.left_out];
  ++all.rows;
  all.words = std::string_view{chat.left_out} == kUnfinished
                  ? fmt::format(
                        "with an answer that is unfinished after {} tokens ({}.max_new_tokens raises the limit, "
                        "{}.unfinished=keep keeps them)",
                        max_new_tokens(), name_, name_)
                  : fmt::format(
                        "with a question that is too long: the target's {} positions leave no room for {} new tokens "
                        "({}.max_new_tokens) behind it",
                        models_->target_config().max_position_embeddings, max_new_tokens(), name_);
}

std::vector<std::int64_t> GenerateAnswers::prompt_of(const Chat& chat) const {
  const std::string text = codec_->chat.render_prompt(chat.dialogue.messages(), /*add_generation_prompt=*/true);
  const std::vector<std::int32_t> ids = codec_->tokenizer.encode(text);
  return {ids.begin(), ids.end()};
}

void GenerateAnswers::save(Snapshot& snapshot) const {
  Json& pending = snapshot.values["pending"] = Json::array();
  for (const Document& document : pending_) {
    Json row = chat_row_json(document.conversation, document.tag);
    row["row_id"] = document.row_id;
    pending.push_back(std::move(row));
  }
}

void GenerateAnswers::load(const Snapshot& snapshot) {
  pending_.clear();
  for (const Json& row : snapshot.values.at("pending")) {
    Document document;
    document.row_id = row.at("row_id");
    document.tag = row.value("tag", "");
    document.conversation = chat_messages(row);
    pending_.push_back(std::move(document));
  }
}

}  // namespace dflash
