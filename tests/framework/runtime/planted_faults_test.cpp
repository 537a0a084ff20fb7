// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/planted_faults.h"

#include <cmath>

#include <gmock/gmock.h>

#include "framework/runtime/executor.h"
#include "tests/framework/number_stages.h"

namespace dflash {

template <>
struct ItemType<double> {
  static constexpr std::string_view kName = "real";
  static double poisoned(const double&) { return std::nan(""); }
};

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsNan;
using testing::Le;
using testing::Not;

std::chrono::nanoseconds delay(const Inject& inject, std::int64_t firing) {
  const RunOptions options;
  const RunState run{options};
  return PlantedFaults(inject, run).delay(firing);
}

TEST(PlantedFaults, SleepAsLongAsAsked) {
  EXPECT_EQ(delay({.sleep_ms = 2.5}, 1), std::chrono::microseconds{2500});
  EXPECT_EQ(delay({}, 1), std::chrono::nanoseconds{0});
}

TEST(PlantedFaults, VaryBySeedAndFiringWithinTheJitter) {
  const Inject inject{.sleep_ms = 10, .jitter = 0.2, .seed = 3};
  for (std::int64_t firing = 1; firing <= 100; ++firing) {
    EXPECT_THAT(delay(inject, firing), AllOf(Ge(std::chrono::milliseconds{8}), Le(std::chrono::milliseconds{12})));
  }
  EXPECT_EQ(delay(inject, 5), delay(inject, 5));
  EXPECT_NE(delay(inject, 5), delay(inject, 6));
  EXPECT_NE(delay(inject, 5), delay({.sleep_ms = 10, .jitter = 0.2, .seed = 4}, 5));
}

TEST(PlantedFaults, PoisonACopyOfWhatTheFiringEmitted) {
  const RunOptions options;
  const RunState run{options};
  const PlantedFaults faults{{.nan_at = 2}, run};
  std::vector<StagedItem> staged;
  staged.push_back({.port = 0, .item = make_item(1.5)});
  const Item other = staged[0].item.share();
  faults.after(1, staged);
  EXPECT_EQ(*static_cast<double*>(staged[0].item.payload.get()), 1.5);
  faults.after(2, staged);
  EXPECT_THAT(*static_cast<double*>(staged[0].item.payload.get()), IsNan());
  EXPECT_EQ(*static_cast<double*>(other.payload.get()), 1.5);
}

struct PlantedChain {
  explicit PlantedChain(Inject inject) {
    auto& source = graph.add<NumberSource>("source", 20);
    auto packer = std::make_unique<NumberPacker>(1);
    const NumberPacker& middle = *packer;
    graph.add_stage("middle", NumberPacker::info(), std::move(packer), {.inject = inject});
    sink = &graph.add<NumberSink>("sink");
    graph.connect(source.out, middle.in);
    graph.connect(middle.out, sink->in);
  }
  Graph graph;
  NumberSink* sink = nullptr;
};

TEST(PlantedFaults, FailTheFiringThatIsNamedAndNoOther) {
  PlantedChain chain{{.throw_at = 7}};
  const RunRecord record = Executor(chain.graph, {}).run();
  EXPECT_EQ(record.outcome.code, 1);
  EXPECT_THAT(record.outcome.text, AllOf(HasSubstr("stage 'middle'"), HasSubstr("7"), HasSubstr("inject.throw_at")));
  EXPECT_THAT(chain.sink->seen, Not(testing::Contains(6)));
}

TEST(PlantedFaults, CountAsBusyTimeOfTheStage) {
  PlantedChain chain{{.sleep_ms = 1}};
  const RunRecord record = Executor(chain.graph, {}).run();
  EXPECT_EQ(record.outcome.code, 0);
  EXPECT_GE(record.stages[1].busy_ns, 20 * 1'000'000);
  EXPECT_EQ(chain.sink->seen.size(), 20U);
}

}  // namespace
}  // namespace dflash
