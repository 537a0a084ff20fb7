// SPDX-License-Identifier: Apache-2.0
#include "framework/device/host_waits.h"

#include <string>

#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>

namespace dflash {
namespace {

using c10::cuda::SyncDebugMode;
using c10::cuda::warning_state;

thread_local std::atomic<std::int64_t>* counted = nullptr;

/// Takes out the warnings of the debug mode, whether they are counted or not, and passes the others on.
class CountingHandler final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    if (warning.msg().find("synchronizing CUDA operation") == std::string::npos) {
      c10::WarningHandler::process(warning);
    } else if (counted != nullptr) {
      counted->fetch_add(1, std::memory_order_relaxed);
    }
  }
};

void handle_warnings_of_this_thread() {
  static CountingHandler handler;
  thread_local bool is_set = false;
  if (!is_set) {
    c10::WarningUtils::set_warning_handler(&handler);
    is_set = true;
  }
}

}  // namespace

void count_host_waits(std::atomic<std::int64_t>* count) {
  handle_warnings_of_this_thread();
  counted = count;
  if (count != nullptr) {
    warning_state().set_sync_debug_mode(SyncDebugMode::L_WARN);
  }
}

void end_host_wait_counts() { warning_state().set_sync_debug_mode(SyncDebugMode::L_DISABLED); }

}  // namespace dflash
