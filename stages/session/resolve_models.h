// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/cli/application.h"
#include "framework/core/graph_mistakes.h"
#include "stages/data/text_codec.h"
#include "stages/session/model_sections.h"
#include "stages/session/models.h"

namespace dflash {

/// What the "models" of a graph come to. Null where there are none, or where something is wrong with them.
struct ResolvedModels {
  std::shared_ptr<Models> models;
  std::shared_ptr<TextCodec> codec;  // its mask token is the drafter's; none without a drafter
};

/// Reads configurations and tokenizer, and of the weights the headers. `given`: the sections that the graph has. Adds
/// all that is wrong with the value that brought it.
ResolvedModels resolve_models(const TargetSection& target, const DrafterSection& drafter, const RunEnv& env,
                              const std::vector<std::string>& given, GraphMistakes& mistakes);

}  // namespace dflash
