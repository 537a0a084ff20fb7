// SPDX-License-Identifier: Apache-2.0
// What an earlier run has left and --resume reads: resolved.json, report.json, metrics.jsonl.
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/metrics_file.h"
#include "framework/cli/resume_point.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

constexpr std::int64_t kSteps = 8;

Json graph_of_this_run() {
  return Json::parse(R"({"schema": "dflash-graph/1", "name": "g",
    "stages": {"pack": {"type": "packer", "params": {"size": 128}, "inject": {"throw_at": 7}}},
    "edges": [{"from": "data.out", "to": "pack.in", "capacity": {"items": 4}}],
    "run": {"steps": 8, "seed": 42, "checkpoint": {"every": 2}, "evaluate": false}})");
}

/// A run that has a checkpoint, or one that has none.
class FuzzedRun {
 public:
  explicit FuzzedRun(bool has_checkpoint) {
    if (has_checkpoint) {
      CheckpointStore{directory_.checkpoints()}.write(
          kSteps, {}, [](const std::filesystem::path& folder) { write_durably(folder / "data", "sound"); });
    }
  }

  void put(const std::vector<std::string>& pieces) const {
    put_file(directory_.resolved(), pieces[0]);
    put_file(directory_.report_json(), pieces[1]);
    put_file(directory_.metrics(), pieces[2]);
  }

  void read() const {
    static const Json graph = graph_of_this_run();
    for (const std::int64_t steps : {std::int64_t{0}, kSteps, kSteps + 1}) {
      for (const bool drives_steps : {false, true}) {
        read_or_refuse([&] { (void)find_resume_point(directory_, graph, {steps, drives_steps}); });
      }
    }
    for (const bool end_comes_again : {false, true}) {
      cut_back_metrics(directory_.metrics(), kSteps, end_comes_again);
      const std::string kept = read_text(directory_.metrics());
      cut_back_metrics(directory_.metrics(), kSteps, end_comes_again);
      DFLASH_CHECK(read_text(directory_.metrics()) == kept, "lines that were kept are not kept again");
    }
  }

 private:
  TemporaryFolder folder_;
  RunDirectory directory_{folder_.path(), RunDirectory::Existing::kRefuse};
};

}  // namespace
}  // namespace dflash

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dflash::FuzzedRun with_checkpoint{true};
  static const dflash::FuzzedRun without_checkpoint{false};
  const std::vector<std::string> pieces = dflash::pieces_of(data, size, 3);
  for (const dflash::FuzzedRun* run : {&with_checkpoint, &without_checkpoint}) {
    run->put(pieces);
    run->read();
  }
  return 0;
}
