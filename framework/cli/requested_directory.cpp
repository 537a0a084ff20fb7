// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/requested_directory.h"

#include <ctime>

#include "framework/core/error.h"
#include "framework/device/profiler_range.h"

namespace dflash {

RunDirectory requested_directory(const RunPlan& plan, const RunRequest& request) {
  DFLASH_USER_CHECK(!request.resume || !request.force, "--resume and --force contradict each other");
  DFLASH_USER_CHECK(!request.nvtx || has_profiler_ranges(),
                    "--nvtx: this build has no NVTX, which comes with the CUDA toolkit; build with -DDFLASH_CUDA=ON");
  DFLASH_USER_CHECK(!request.resume || !request.run_dir.empty(), "--resume needs --run-dir: which run shall go on?");
  const auto existing = request.resume  ? RunDirectory::Existing::kResume
                        : request.force ? RunDirectory::Existing::kReplace
                                        : RunDirectory::Existing::kRefuse;
  return {request.run_dir.empty() ? RunDirectory::default_path(plan.graph_name, std::time(nullptr)) : request.run_dir,
          existing};
}

}  // namespace dflash
