// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/record_ports.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "tests/framework/number_stages.h"

namespace dflash {

struct Unspoken {};
template <>
struct ItemType<Unspoken> {
  static constexpr std::string_view kName = "unspoken";
};

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

struct SilentSource final : Source<Unspoken> {
  SilentSource() : Source{"out", "nothing"} {}
  static StageInfo info() { return {.type = "silent", .summary = "says nothing"}; }
  std::optional<Unspoken> next(Firing&) override { return std::nullopt; }
};

class RecordPortsTest : public testing::Test {
 protected:
  RecordPortsTest() {
    graph_.connect(source_.out, packer_.in, {.items = 7});
    graph_.connect(packer_.out, sink_.in);
  }
  std::vector<std::string> record(std::vector<std::string> ports) {
    return record_ports(graph_, {.ports = std::move(ports)});
  }
  void expect_refused(const std::string& port, const std::string& text) {
    EXPECT_THAT([&] { record({port}); },
                ThrowsMessage<UserError>(AllOf(HasSubstr("--record " + port), HasSubstr(text))));
  }
  Graph graph_;
  NumberSource& source_ = graph_.add<NumberSource>("source", 3);
  NumberPacker& packer_ = graph_.add<NumberPacker>("packer", 2);
  NumberSink& sink_ = graph_.add<NumberSink>("sink");
};

TEST_F(RecordPortsTest, AddsOneMoreConsumerWithTheRoomThatTheOthersHave) {
  EXPECT_THAT(record({"source.out"}), ElementsAre("source.out"));
  EXPECT_THAT(graph_.problems(), IsEmpty());
  ASSERT_NE(graph_.find("record_source_out"), nullptr);
  const Graph::Edge& edge = graph_.edges().back();
  EXPECT_EQ(edge.name, "source.out->record_source_out.items");
  EXPECT_EQ(edge.capacity.items, 7);
}

TEST_F(RecordPortsTest, TakesAnEdgesNameForThePortThatItBeginsAt) {
  EXPECT_THAT(record({"source.out->packer.in", "packer.out -> sink.in", "source.out"}),
              ElementsAre("source.out", "packer.out"));
  EXPECT_EQ(graph_.vertices().size(), 5U);
}

TEST_F(RecordPortsTest, LeavesAStagesNameToIt) {
  graph_.add<NumberSource>("record_source_out", 1);
  (void)record({"source.out"});
  EXPECT_NE(graph_.find("record_source_out_"), nullptr);
}

TEST_F(RecordPortsTest, RefusesWhatTheGraphHasNotAndNamesTheNearest) {
  expect_refused("sorce.out", "the graph has no such output; did you mean 'source.out'?");
  expect_refused("source.out->packer.inn", "did you mean 'source.out->packer.in'?");
}

TEST_F(RecordPortsTest, RefusesATypeThatCannotBeWritten) {
  graph_.add<SilentSource>("silent");
  expect_refused("silent.out", "items of type 'unspoken' cannot be recorded: the type offers no 'serialize'");
}

}  // namespace
}  // namespace dflash
