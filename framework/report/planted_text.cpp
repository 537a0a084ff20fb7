// SPDX-License-Identifier: Apache-2.0
#include "framework/report/planted_text.h"

#include <fmt/format.h>

namespace dflash {

std::string planted_text(const Inject& inject) {
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  const std::string spread = inject.jitter > 0.0 ? fmt::format(", give or take {:.3g} %", inject.jitter * 100.0) : "";
  if (inject.sleep_ms > 0.0) {
    add(fmt::format("each firing takes {:.4g} ms longer{} (inject.sleep_ms)", inject.sleep_ms, spread));
  }
  if (inject.gpu_sleep_ms > 0.0) {
    add(fmt::format("each firing's work on its device takes {:.4g} ms longer{} (inject.gpu_sleep_ms)",
                    inject.gpu_sleep_ms, spread));
  }
  if (inject.throw_at > 0) {
    add(fmt::format("firing {} fails (inject.throw_at)", inject.throw_at));
  }
  if (inject.nan_at > 0) {
    add(fmt::format("firing {} emits NaN (inject.nan_at)", inject.nan_at));
  }
  return text;
}

}  // namespace dflash
