// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/generate_answers.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/models/generate.h"
#include "stages/session/needed_models.h"

namespace dflash {
namespace {

std::vector<std::int64_t> prompt_of(const Document& document) {
  const auto answer = std::find(document.loss_mask.begin(), document.loss_mask.end(), 1);
  const auto length = answer - document.loss_mask.begin();
  return {document.ids.begin(), document.ids.begin() + length};
}

}  // namespace

void GenerateAnswers::check(StageCheck& check) const { (void)needed_target(check); }

void GenerateAnswers::open(const StageEnv& env) {
  models_ = &env.resources->get<Models>();
  codec_ = &env.resources->get<TextCodec>();
  seed_ = env.seed;
  target_ = models_->target_weights();
}

void GenerateAnswers::fire(Firing& firing) {
  Document document = firing.take(documents);
  std::vector<std::int64_t> prompt = prompt_of(document);
  DFLASH_USER_CHECK(
      !prompt.empty() && !document.conversation.empty(),
      "row {} has no prompt before its first supervised token; the data stage must give chats with loss on the "
      "answer",
      document.row_id);
  if (distinct() && !seen_.insert(document.conversation).second) {
    firing.count("repeated_prompts", 1);
    return;
  }
  pending_.push_back({std::move(prompt), document.row_id, std::move(document.conversation)});
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
  std::vector<Prompt> prompts;
  prompts.reserve(pending_.size());
  for (const Pending& pending : pending_) {
    prompts.push_back({pending.prompt, pending.row_id});
  }
  GenerateOptions options{.max_new_tokens = max_new_tokens(),
                          .stop_ids = {codec_->eos_id},
                          .sampling = {.temperature = temperature(), .seed = seed_}};
  const std::vector<std::vector<std::int64_t>> answers = generate(*target_, models_->target_config(), prompts, options);
  JsonRows made;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::vector<std::int32_t> ids{answers[i].begin(), answers[i].end()};
    firing.count("tokens", static_cast<std::int64_t>(ids.size()));
    Json messages = Json::parse(pending_[i].conversation);
    messages.push_back({{"role", "assistant"}, {"content", codec_->tokenizer.decode(ids, /*skip_special=*/true)}});
    made.lines.push_back(Json{{"messages", std::move(messages)}}.dump());
  }
  pending_.clear();
  firing.emit(rows, std::move(made));
}

}  // namespace dflash
