// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/replay_graph.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/recording/item_recorder.h"
#include "framework/recording/recording_writer.h"
#include "tests/framework/number_stages.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class ReplayGraphTest : public testing::Test {
 protected:
  ReplayGraphTest() {
    graph_.connect(left_.out, join_.left, {.items = 7});
    graph_.connect(right_.out, join_.right);
    graph_.connect(join_.out, sink_.in);
  }
  /// Numbers that a run has recorded of a port.
  fs::path record(const std::string& port, bool whole = true, const std::string& type = "number") const {
    const fs::path file = ItemRecorder::file_in(folder_.path(), port);
    RecordingWriter writer{file, {.port = port, .type = type}};
    writer.add(0, 1, ItemType<std::int64_t>::serialize(10));
    if (whole) {
      writer.end(RecordingEnd::kStream);
    }
    return file;
  }
  ReplayInputs keep(const std::string& stage, std::vector<fs::path> from) {
    return keep_for_replay(graph_, {.stage = stage, .from = std::move(from)});
  }
  void expect_refused(const std::string& stage, const std::vector<fs::path>& from, const std::string& text) {
    EXPECT_THAT([&] { (void)keep(stage, from); }, ThrowsMessage<UserError>(HasSubstr(text)));
    EXPECT_EQ(graph_.vertices().size(), 4U);
  }

  TemporaryFolder folder_;
  Graph graph_;
  NumberSource& left_ = graph_.add<NumberSource>("left", 3);
  NumberSource& right_ = graph_.add<NumberSource>("right", 3);
  NumberJoin& join_ = graph_.add<NumberJoin>("join");
  NumberSink& sink_ = graph_.add<NumberSink>("sink");
};

TEST_F(ReplayGraphTest, KeepsOneStageAndASourceForEachInput) {
  const fs::path left = record("left.out");
  const fs::path right = record("right.out");
  const ReplayInputs inputs = keep("join", {folder_.path()});
  EXPECT_THAT(inputs.files, ElementsAre(left, right));
  EXPECT_THAT(inputs.warnings, IsEmpty());
  EXPECT_THAT(graph_.problems(), IsEmpty());
  ASSERT_EQ(graph_.vertices().size(), 3U);
  EXPECT_EQ(graph_.find("left")->info.type, "recorded");
  EXPECT_EQ(graph_.find("join")->info.type, "number_join");
  EXPECT_EQ(graph_.edges().at(0).name, "left.out->join.left");
  EXPECT_EQ(graph_.edges().at(0).capacity.items, 7);
}

TEST_F(ReplayGraphTest, TakesFilesToo) {
  const fs::path left = record("left.out");
  const fs::path right = record("right.out");
  EXPECT_THAT(keep("join", {right, left}).files, ElementsAre(left, right));
}

TEST_F(ReplayGraphTest, GivesASecondOutputOfOneStageASourceOfItsOwn) {
  Graph graph;
  auto& source = graph.add<NumberSource>("left", 3);
  auto& join = graph.add<NumberJoin>("join");
  graph.connect(source.out, join.left);
  graph.connect(source.out, join.right);
  (void)record("left.out");
  (void)keep_for_replay(graph, {.stage = "join", .from = {folder_.path()}});
  EXPECT_EQ(graph.edges().at(1).name, "left_.out->join.right");
}

TEST_F(ReplayGraphTest, SaysWhichRecordingIsMissingAndHowToMakeIt) {
  const fs::path left = record("left.out");
  expect_refused("join", {folder_.path()},
                 "input 'join.right' takes what 'right.out' gives, which is recorded in none of '" +
                     folder_.path().string() + "'; to record it: run with --record right.out");
  expect_refused("join", {left}, "(recorded there: left.out); to record it");
}

TEST_F(ReplayGraphTest, WarnsOfARecordingThatIsNotWhole) {
  (void)record("left.out", false);
  (void)record("right.out");
  EXPECT_THAT(keep("join", {folder_.path()}).warnings,
              ElementsAre(HasSubstr("left.out.items' is incomplete: 1 item and no end")));
}

TEST_F(ReplayGraphTest, RefusesAStageThatIsNotThereOrTakesNothing) {
  expect_refused("jion", {folder_.path()}, "the graph has no stage 'jion'; did you mean 'join'?");
  expect_refused("left", {folder_.path()}, "stage 'left' has no inputs");
}

TEST_F(ReplayGraphTest, RefusesARecordingOfAnotherType) {
  (void)record("left.out", true, "word");
  (void)record("right.out");
  expect_refused("join", {folder_.path()}, "holds items of type 'word', but 'left.out' gives 'number'");
}

TEST_F(ReplayGraphTest, RefusesAnEmptyRecordingAndAPathOfNothing) {
  RecordingWriter{ItemRecorder::file_in(folder_.path(), "left.out"), {.port = "left.out", .type = "number"}}.end(
      RecordingEnd::kStream);
  (void)record("right.out");
  expect_refused("join", {folder_.path()}, "holds no item");
  expect_refused("join", {folder_.path() / "nothing"}, "there is no run directory or recording '");
}

TEST_F(ReplayGraphTest, RefusesAStageThatFeedsItself) {
  Graph graph;
  auto& source = graph.add<NumberSource>("left", 3);
  auto& join = graph.add<NumberJoin>("join");
  graph.connect(source.out, join.left);
  graph.connect(join.out, join.right, {}, {.feedback = true, .initial = 1});
  (void)record("left.out");
  EXPECT_THAT([&] { (void)keep_for_replay(graph, {.stage = "join", .from = {folder_.path()}}); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("stage 'join' cannot be replayed"), HasSubstr("leads back"))));
}

}  // namespace
}  // namespace dflash
