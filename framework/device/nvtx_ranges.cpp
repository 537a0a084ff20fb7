// SPDX-License-Identifier: Apache-2.0
#include <nvtx3/nvToolsExt.h>

#include "framework/device/profiler_range.h"

namespace dflash {
namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t made = nvtxDomainCreateA("dflash");
  return made;
}

}  // namespace

bool has_profiler_ranges() { return true; }

void begin_profiler_range(const char* name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &attributes);
}

void end_profiler_range() { nvtxDomainRangePop(domain()); }

}  // namespace dflash
