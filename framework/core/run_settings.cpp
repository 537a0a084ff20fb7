// SPDX-License-Identifier: Apache-2.0
#include "framework/core/run_settings.h"

#include <algorithm>
#include <string_view>

namespace dflash {

RunSettings settings_of(const RunParams& params, bool evaluate) {
  return {.device = params.device(),
          .precision = params.precision.word(),
          .steps = params.steps(),
          .seed = static_cast<std::uint64_t>(params.seed()),
          .checkpoint_every = params.checkpoint_every(),
          .keep_last = params.keep_last(),
          .keep_best = params.keep_best(),
          .stall_timeout_s = params.stall_timeout_s(),
          .stop_timeout_s = params.stop_timeout_s(),
          .order_seed =
              params.order_seed() ? std::optional{static_cast<std::uint64_t>(*params.order_seed())} : std::nullopt,
          .evaluate = evaluate};
}

bool is_device_name(const std::string& word, bool allow_auto) {
  for (const std::string_view kind : {"cuda:", "sim:"}) {
    if (word.starts_with(kind)) {
      const std::string_view number = std::string_view{word}.substr(kind.size());
      return !number.empty() && number.size() <= 3 &&
             std::ranges::all_of(number, [](char digit) { return digit >= '0' && digit <= '9'; });
    }
  }
  return word == "cpu" || (allow_auto && word == "auto");
}

}  // namespace dflash
