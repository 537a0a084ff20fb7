// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "framework/core/resources.h"
#include "framework/core/stage.h"
#include "stages/batch/token_pack.h"
#include "stages/session/models.h"

namespace dflash {

/// A target of 4 layers and a drafter of 1 with random weights, as stages find them in a run; smaller than any real
/// one.
class TinyModels {
 public:
  TinyModels();
  [[nodiscard]] StageEnv env(std::int64_t steps = 4) const;
  [[nodiscard]] Models& models() const { return *models_; }

 private:
  Resources resources_;
  std::shared_ptr<Models> models_;
};

/// A pack of documents of the given lengths with ids from the tiny vocabulary; the first token of each is unsupervised.
TokenPack tiny_pack(const std::vector<std::int64_t>& lengths, std::int64_t first_row = 0);

}  // namespace dflash
