// SPDX-License-Identifier: Apache-2.0
#include "framework/device/profiler_range.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nvtx3/nvToolsExt.h>

namespace dflash {
namespace {

using testing::ElementsAre;

std::vector<std::string>& heard() {
  static std::vector<std::string> events;
  return events;
}

nvtxDomainHandle_t hear_domain(const char* name) {
  heard().push_back(std::string{"domain "} + name);
  return reinterpret_cast<nvtxDomainHandle_t>(&heard());
}

int hear_push(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  heard().push_back(std::string{"push "} + attributes->message.ascii);
  return 0;
}

int hear_pop(nvtxDomainHandle_t) {
  heard().emplace_back("pop");
  return 0;
}

template <class Function>
void listen(NvtxFunctionTable table, int what, Function* function) {
  *table[what] = reinterpret_cast<NvtxFunctionPointer>(function);
}

/// A profiler, as NVTX looks for one.
int start_listening(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) {
    return 0;
  }
  listen(table, NVTX_CBID_CORE2_DomainCreateA, hear_domain);
  listen(table, NVTX_CBID_CORE2_DomainRangePushEx, hear_push);
  listen(table, NVTX_CBID_CORE2_DomainRangePop, hear_pop);
  return 1;
}

TEST(ProfilerRange, NamesFiringsAndTheirPartsToAProfiler) {
  ASSERT_TRUE(has_profiler_ranges());
  InitializeInjectionNvtx2_fnptr = start_listening;  // where NVTX looks for a profiler in the program itself
  {
    const ProfilerRange firing{true, "drafter", 12};
    begin_profiler_range("forward");
    end_profiler_range();
    const ProfilerRange unwanted{false, "target", 1};
  }
  EXPECT_THAT(heard(), ElementsAre("domain dflash", "push drafter#12", "push forward", "pop", "pop"));
}

}  // namespace
}  // namespace dflash
