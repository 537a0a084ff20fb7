// SPDX-License-Identifier: Apache-2.0
#include "framework/core/edge_text.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/support/any_json.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

struct Read {
  std::optional<EdgeText> edge;
  std::vector<std::string> mistakes;
};

Read read(const std::string& text) {
  Diagnostics diagnostics;
  const auto parsed = parse_json_text(text, "a.json", diagnostics);
  Read result;
  result.edge = read_edge(JsonSpot{*parsed}, diagnostics);
  result.mistakes = diagnostics.mistakes();
  return result;
}

TEST(EdgeText, ReadsTheShortForm) {
  const Read short_form = read(R"("  data.out->sink.in ")");
  ASSERT_THAT(short_form.mistakes, IsEmpty());
  EXPECT_EQ(short_form.edge->from.stage, "data");
  EXPECT_EQ(short_form.edge->from.port, "out");
  EXPECT_EQ(short_form.edge->to.stage, "sink");
  EXPECT_EQ(short_form.edge->to.port, "in");
  EXPECT_EQ(short_form.edge->capacity.items, 4);
  EXPECT_EQ(short_form.edge->capacity.bytes, std::nullopt);
}

TEST(EdgeText, ReadsTheObjectForm) {
  const Read edge = read(R"({"from": "a.x", "to": "b.y", "capacity": {"items": 7, "bytes": "2GiB"}})");
  ASSERT_THAT(edge.mistakes, IsEmpty());
  EXPECT_EQ(edge.edge->capacity.items, 7);
  EXPECT_THAT(edge.edge->capacity.bytes, Optional(2147483648));
  EXPECT_EQ(read(R"({"from": "a.x", "to": "b.y", "capacity": 60})").edge->capacity.items, 60);
}

TEST(EdgeText, SaysWhatAnEndLooksLike) {
  EXPECT_THAT(read(R"("data.out sink.in")").mistakes,
              ElementsAre(HasSubstr(R"(allowed: "STAGE.OUTPUT -> STAGE.INPUT")")));
  EXPECT_THAT(read(R"("data -> sink.")").mistakes,
              ElementsAre(HasSubstr(R"(found "data", allowed: STAGE.PORT)"), HasSubstr(R"(found "sink.")")));
  EXPECT_THAT(read(R"({"from": 3})").mistakes,
              ElementsAre(HasSubstr("found 3, allowed: a string"), HasSubstr("'to' is missing")));
  EXPECT_THAT(read("7").mistakes, ElementsAre(HasSubstr("found 7")));
}

TEST(EdgeText, RefusesEveryCapacityThatIsNoWholeNumberOfAtLeastOne) {
  for (const char* wrong : {"0", "-1", "1e30", "\"8\"", "2.5", "2.0", "true", "null", "18446744073709551615"}) {
    const std::string found = std::string{"found "} + (std::string{wrong} == "1e30" ? "1e+30" : wrong);
    EXPECT_THAT(read(std::string{R"({"from": "a.x", "to": "b.y", "capacity": )"} + wrong + "}").mistakes,
                ElementsAre(AllOf(HasSubstr(found + ", allowed: integer, at least 1"), HasSubstr("/capacity"))));
    EXPECT_THAT(read(std::string{R"({"from": "a.x", "to": "b.y", "capacity": {"items": )"} + wrong + "}}").mistakes,
                ElementsAre(AllOf(HasSubstr(found + ", allowed: integer, at least 1"), HasSubstr("/capacity/items"))));
  }
}

RC_GTEST_PROP(EdgeText, ReadsOrRefusesAnyValue, ()) {
  const Json edge = Json::parse(R"({"from": "a.x", "to": "b.y", "capacity": {"items": 4, "bytes": 64}})");
  const Read result = read(mutated(edge).dump());
  RC_ASSERT(result.edge.has_value() || !result.mistakes.empty());
  if (result.mistakes.empty()) {
    RC_ASSERT(result.edge->capacity.items >= 1);
    RC_ASSERT(result.edge->capacity.bytes.value_or(1) >= 1);
  }
}

RC_GTEST_PROP(EdgeText, ReadsTheByteSizesItMeans, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(1, 1 << 20);
  const auto power = *rc::gen::inRange<std::size_t>(0, 4);
  const std::string unit = std::vector<std::string>{"B", "KiB", "MiB", "GiB"}[power];
  RC_ASSERT(parse_byte_size(std::to_string(count) + unit) == count << (10 * power));
}

TEST(EdgeText, ReadsTheRules) {
  const Read edge = read(R"({"from": "a.x", "to": "b.y", "when_full": "drop_oldest", "feedback": true, "initial": 2})");
  ASSERT_THAT(edge.mistakes, IsEmpty());
  EXPECT_EQ(edge.edge->rules.when_full, WhenFull::kDropOldest);
  EXPECT_TRUE(edge.edge->rules.feedback);
  EXPECT_EQ(edge.edge->rules.initial, 2);
}

TEST(EdgeText, NamesTheNearestRule) {
  EXPECT_THAT(read(R"({"from": "a.x", "to": "b.y", "when_full": "drop_newst", "initial": 1.5})").mistakes,
              ElementsAre(AllOf(HasSubstr("/when_full"), HasSubstr("drop_newest")),
                          AllOf(HasSubstr("/initial"), HasSubstr("found 1.5"))));
  EXPECT_THAT(read(R"({"from": "a.x", "to": "b.y", "when_ful": "block"})").mistakes,
              ElementsAre(HasSubstr("did you mean 'when_full'?")));
}

TEST(EdgeText, ReadsByteSizes) {
  EXPECT_THAT(parse_byte_size("512MiB"), Optional(536870912));
  EXPECT_THAT(parse_byte_size("1 KiB"), Optional(1024));
  EXPECT_THAT(parse_byte_size("100B"), Optional(100));
  for (const char* wrong :
       {"", "512", "MiB", "1.5GiB", "-1KiB", "0B", "2GB", "9999999999999GiB", "99999999999999999999B"}) {
    EXPECT_EQ(parse_byte_size(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace dflash
