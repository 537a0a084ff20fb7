// SPDX-License-Identifier: Apache-2.0
// What the rules between stages come to, however a pipeline looks.
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "framework/analysis/pipeline_replay.h"
#include "framework/report/timeline_json.h"
#include "tests/framework/analysis/hand_made_timeline.h"
#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

using Times = std::vector<std::int64_t>;

Replayed replayed(const HandMadeTimeline& made) { return replay(model_of(made.timeline)); }

RC_GTEST_PROP(ReplayNetwork, AgreesWithTheRecurrenceForChains, ()) {
  const auto stages = *rc::gen::inRange<std::size_t>(1, 5);
  const auto items = *rc::gen::inRange<std::size_t>(1, 30);
  const auto capacity = *rc::gen::inRange<std::int64_t>(1, 5);
  SimulatedChain chain{.names = {}, .service_ns = {}, .capacity = capacity};
  for (std::size_t i = 0; i < stages; ++i) {
    chain.names.push_back("s" + std::to_string(i));
    chain.service_ns.push_back(*rc::gen::container<Times>(items, rc::gen::inRange<std::int64_t>(1, 50)));
  }
  RC_ASSERT(replayed(chain_of(chain.service_ns, capacity)).timeline.wall_ns == simulate(chain).wall_ns);
}

/// A random graph of a source, two branches, one of them with up to so many slots, the other perhaps on a device, and a
/// join.
HandMadeTimeline any_diamond(std::int64_t most_slots) {
  const auto items = *rc::gen::inRange<std::size_t>(2, 30);
  const auto times = [items] { return *rc::gen::container<Times>(items, rc::gen::inRange<std::int64_t>(1, 60)); };
  const auto capacity = [] { return *rc::gen::inRange<std::int64_t>(1, 5); };
  HandMadeTimeline made;
  made.stage("source", times());
  made.stage("left", times(), {.slots = *rc::gen::inRange<std::int64_t>(1, most_slots + 1)});
  if (*rc::gen::arbitrary<bool>()) {
    made.stage("right", times(), {.lane = "sim:0 right", .device = "sim:0"}, times());
  } else {
    made.stage("right", times());
  }
  made.stage("join", times());
  made.edge(0, 1, capacity());
  made.edge(0, 2, capacity());
  made.edge(1, 3, capacity());
  made.edge(2, 3, capacity());
  return made;
}

// With several slots neither needs to hold: what ends sooner may find no room, and a stage that holds something begins
// nothing, as in the engine.
RC_GTEST_PROP(ReplayNetwork, LargerCapacityIsNeverSlower, ()) {
  const HandMadeTimeline made = any_diamond(1);
  PipelineModel model = model_of(made.timeline);
  const std::int64_t before = replay(model).timeline.wall_ns;
  ++model.edges[*rc::gen::inRange<std::size_t>(0, 4)].capacity_items;
  RC_ASSERT(replay(model).timeline.wall_ns <= before);
}

RC_GTEST_PROP(ReplayNetwork, AFasterStageIsNeverSlower, ()) {
  const HandMadeTimeline made = any_diamond(1);
  PipelineModel model = model_of(made.timeline);
  const std::int64_t before = replay(model).timeline.wall_ns;
  model.stages[*rc::gen::inRange<std::size_t>(0, 4)].speed = 2.0;
  RC_ASSERT(replay(model).timeline.wall_ns <= before);
}

RC_GTEST_PROP(ReplayNetwork, PredictsItselfExactly, ()) {
  const HandMadeTimeline made = any_diamond(4);
  const Replayed first = replay(model_of(made.timeline));
  const Replayed second = replay(model_of(first.timeline));
  RC_ASSERT(timeline_json(first.timeline).dump() == timeline_json(second.timeline).dump());
}

}  // namespace
}  // namespace dflash
