// SPDX-License-Identifier: Apache-2.0
// D30's second half: the time of work that is launched as a CUDA graph is seen. Only in builds with CUDA; runs where
// there is a device.
#include <algorithm>
#include <chrono>

#include <c10/cuda/CUDAStream.h>
#include <gmock/gmock.h>

#include "framework/device/cuda_check.h"
#include "framework/device/cuda_marks.h"
#include "framework/device/device.h"
#include "framework/report/self_checks.h"
#include "framework/runtime/executor.h"
#include "tests/framework/device_stages.h"

namespace dflash {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::int64_t kItems = 20;

/// Captures a kernel at its first firing and launches the graph at every one.
struct GraphStage final : Transform<std::int64_t, std::int64_t> {
  explicit GraphStage(nanoseconds time) : Transform{"in", "numbers", "out", "numbers"}, kernel{time} {}
  static StageInfo info() { return {.type = "graph", .summary = "launches a CUDA graph", .uses_device = true}; }
  std::int64_t transform(std::int64_t value, Firing& firing) override {
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
    if (launchable == nullptr) {
      const Span captures{firing, "capture"};
      cudaGraph_t graph = nullptr;
      DFLASH_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      {
        const Span captured{firing, "captured"};
        queue_sleep(kernel.count(), stream);
      }
      DFLASH_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
      DFLASH_CUDA_CHECK(cudaGraphInstantiate(&launchable, graph, 0));
      DFLASH_CUDA_CHECK(cudaGraphDestroy(graph));
    }
    const Span launches{firing, "launch"};
    DFLASH_CUDA_CHECK(cudaGraphLaunch(launchable, stream));
    return value;
  }
  nanoseconds kernel;
  cudaGraphExec_t launchable = nullptr;
};

const SpanRecord& span_of(const StageRecord& stage, std::string_view name) {
  return *std::ranges::find(stage.spans, name, &SpanRecord::name);
}

TEST(CudaGraph, D30ItsTimeOnTheDeviceIsItsFirings) {
  if (cuda_devices().empty()) {
    GTEST_SKIP() << no_cuda_reason();
  }
  Graph graph;
  auto& source = graph.add<NumberSource>("source", kItems);
  auto& stage = graph.add<GraphStage>("stage", milliseconds{5});
  auto& host = graph.add<HostStage>("host");
  graph.connect(source.out, stage.in);
  graph.connect(stage.out, host.in);
  const RunRecord record = Executor{graph, {.device = "cuda:0"}}.run();

  ASSERT_EQ(record.outcome.code, 0) << record.outcome.text;
  const StageRecord& seen = *std::ranges::find(record.stages, "stage", &StageRecord::name);
  EXPECT_EQ(seen.device_firings, kItems);
  EXPECT_NEAR(static_cast<double>(seen.gpu_span.quantile(0.5)), 5e6, 0.5e6);
  EXPECT_LT(static_cast<double>(seen.service.quantile(0.5)), 1e6) << "its body only launches";
  EXPECT_GE(span_of(seen, "launch").device_ns, kItems * 5'000'000);
  EXPECT_EQ(span_of(seen, "captured").count, 1);
  EXPECT_EQ(span_of(seen, "captured").device_ns, 0) << "nothing ran while it was captured";
  EXPECT_GT(span_of(seen, "capture").ns, 0) << "a span around the capture";
  for (const SelfCheck& check : self_checks(record)) {
    EXPECT_TRUE(check.ok) << check.name << ": " << check.value;
  }
}

}  // namespace
}  // namespace dflash
