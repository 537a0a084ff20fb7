// SPDX-License-Identifier: Apache-2.0
#include "stages/session/resolve_models.h"

#include <algorithm>
#include <optional>

#include "framework/core/error.h"
#include "framework/core/named_path.h"
#include "stages/session/start_weights.h"

namespace dflash {
namespace {

constexpr std::string_view kTarget = "/models/target";

c10::ScalarType compute_type(const RunEnv& env, GraphMistakes& mistakes) {
  if (env.device == "cpu") {
    if (env.precision == "bf16" && !mistakes.has_any_at("/run/device")) {
      mistakes.add("/run/precision", "found \"bf16\", allowed on the CPU: auto | fp32");
    }
    return c10::ScalarType::Float;
  }
  return env.precision == "fp32" ? c10::ScalarType::Float : c10::ScalarType::BFloat16;
}

/// What `read` returns, or nothing where it throws a user's error, which is then one of the target's folder.
template <class Read>
auto read_from_folder(const TargetSection& target, GraphMistakes& mistakes, const Read& read)
    -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const UserError& error) {
    mistakes.add(kTarget, target.path, error.what());
    return std::nullopt;
  }
}

void check_vocabulary(const TargetSection& target, const TextCodec& codec, const TargetConfig& config,
                      GraphMistakes& mistakes) {
  if (codec.tokenizer.vocab_size() > config.vocab_size) {
    mistakes.add(kTarget, target.path,
                 fmt::format("the tokenizer has ids up to {}, but vocab_size of config.json is {}; is it that of "
                             "another model?",
                             codec.tokenizer.vocab_size() - 1, config.vocab_size));
  }
}

void check_thinking(const TargetSection& target, const TextCodec& codec, GraphMistakes& mistakes) {
  if (target.thinking() != Thinking::kUnset && !codec.chat.knows_thinking()) {
    mistakes.add(kTarget, target.thinking,
                 fmt::format("found \"{}\", allowed: unset; the target's chat template does not know 'enable_thinking'",
                             target.thinking.word()));
  }
}

}  // namespace

ResolvedModels resolve_models(const TargetSection& target, const DrafterSection& drafter, const RunEnv& env,
                              const std::vector<std::string>& given, GraphMistakes& mistakes) {
  const c10::ScalarType computed = compute_type(env, mistakes);
  const auto has = [&](const char* section) { return std::ranges::find(given, section) != given.end(); };
  if (!has("target")) {
    if (has("drafter") && !mistakes.has_any_at("/models")) {
      mistakes.add("/models/drafter", "needs the section models.target: a drafter is trained against it");
    }
    return {};
  }
  if (mistakes.has_any_at(kTarget)) {
    return {};
  }
  if (const std::optional<std::string> problem = path_problem(target.path(), PathKind::kFolder, "model folder")) {
    mistakes.add(kTarget, target.path, *problem);
    return {};
  }
  const auto config = read_from_folder(target, mistakes, [&] { return read_target_config(target.path()); });
  auto codec = read_from_folder(target, mistakes, [&] { return load_text_codec(target.path(), target.thinking()); });
  if (!config) {
    return {};
  }
  const bool random = target.weights() == TargetSection::Weights::kRandom;
  if (!random) {
    (void)read_from_folder(target, mistakes, [&] { return check_target_weights(target.path(), *config), true; });
  }
  std::optional<DrafterConfig> drafter_config;
  if (has("drafter") && !mistakes.has_any_at("/models/drafter")) {
    drafter_config = resolve_drafter_config(drafter, *config, codec ? &*codec : nullptr, mistakes);
    if (drafter_config) {
      check_start_weights(drafter, *drafter_config, mistakes);
    }
  }
  if (codec) {
    check_vocabulary(target, *codec, *config, mistakes);
    check_thinking(target, *codec, mistakes);
  }
  if (mistakes.has_any_at(kTarget)) {
    return {};  // what its tokenizer makes of the data would say the same again
  }
  codec->mask_id = drafter_config ? static_cast<std::int32_t>(drafter_config->mask_token_id) : kNoToken;
  codec->max_positions = config->max_position_embeddings;
  Models::Options options{.target_path = target.path(),
                          .random_target = random,
                          .seed = env.seed,
                          .device = c10::Device{env.device},
                          .compute_type = computed,
                          .wants_bf16 = env.precision == "bf16",
                          .drafter_folder = drafter.start_folder()};
  return {std::make_shared<Models>(std::move(options), *config, std::move(drafter_config)),
          std::make_shared<TextCodec>(std::move(*codec))};
}

}  // namespace dflash
