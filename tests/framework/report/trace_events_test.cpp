// SPDX-License-Identifier: Apache-2.0
#include "framework/report/trace_events.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

TEST(TraceEvents, WriteTheChromeFormat) {
  std::ostringstream out;
  TraceEvents events{out};
  events.name_process(1, "stages");
  events.slice({.process = 1, .thread = 2}, "a #1", 1'234'567, 1'234'570, {{"waited_us", 0.5}});
  events.counter(1, "fill", 5, "items", 3);
  events.arrow("e", {{.process = 1, .thread = 2}, 7}, {{.process = 1, .thread = 3}, 9});
  events.finish({{"graph", "g"}});
  EXPECT_EQ(events.count(), 6);
  const Json trace = parse_or_discard(out.str());
  const Json& list = trace.at("traceEvents");
  EXPECT_EQ(list[0], Json::parse(R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"stages"}})"));
  EXPECT_EQ(
      list[2],
      Json::parse(R"({"ph":"X","pid":1,"tid":2,"name":"a #1","ts":1234.567,"dur":0.003,"args":{"waited_us":0.5}})"));
  EXPECT_EQ(list[3], Json::parse(R"({"ph":"C","pid":1,"tid":0,"name":"fill","ts":0.005,"args":{"items":3}})"));
  EXPECT_EQ(list[4], Json::parse(R"({"ph":"s","pid":1,"tid":2,"name":"e","cat":"item","id":1,"ts":0.007})"));
  EXPECT_EQ(list[5], Json::parse(R"({"ph":"f","pid":1,"tid":3,"name":"e","cat":"item","bp":"e","id":1,"ts":0.009})"));
  EXPECT_EQ(trace.at("otherData").at("graph"), "g");
}

TEST(TraceEvents, AnEmptyTraceIsOne) {
  std::ostringstream out;
  TraceEvents{out}.finish({});
  EXPECT_EQ(parse_or_discard(out.str()).at("traceEvents").size(), 0);
}

TEST(TraceEvents, NamesMayBeAnyBytes) {
  std::ostringstream out;
  TraceEvents events{out};
  events.slice({.process = 1, .thread = 1}, "\"\n\\</script>\xff", -5, 10);
  events.finish({});
  const Json trace = parse_or_discard(out.str());
  ASSERT_TRUE(trace.is_object());
  EXPECT_EQ(trace["traceEvents"][0]["name"], "\"\n\\</script>\uFFFD");
  EXPECT_EQ(trace["traceEvents"][0]["ts"], -0.005);
}

}  // namespace
}  // namespace dflash
