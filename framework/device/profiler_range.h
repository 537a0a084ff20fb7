// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dflash {

/// Whether this build can name what its threads do to a profiler (NVTX, which Nsight Systems shows). Needs no GPU.
[[nodiscard]] bool has_profiler_ranges();

/// Names what the calling thread does from here on, in the domain "dflash", until the matching end. Ranges of a thread
/// lie within each other. Costs next to nothing where no profiler listens.
void begin_profiler_range(const char* name);
void end_profiler_range();

/// The range of a firing: "drafter#12".
class ProfilerRange {
 public:
  ProfilerRange(bool is_wanted, std::string_view stage, std::int64_t firing);
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange();

 private:
  bool is_wanted_;
};

}  // namespace dflash
