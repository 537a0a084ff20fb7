// SPDX-License-Identifier: Apache-2.0
#include "framework/report/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/report/page_assets.h"
#include "framework/report/report_json.h"
#include "tests/framework/report/simulated_chain.h"

namespace dflash {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Json report_named(const std::string& graph, const std::string& stage) {
  return report_json(make_run_report(graph, simulate(constant_chain({stage, "b"}, {500, 2000}, 20)), 1.5));
}

/// What the page's scripts read.
Json data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="run">)";
  const std::size_t from = page.find(begin) + begin.size();
  return parse_or_discard(page.substr(from, page.find("</script", from) - from));
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ReportPage, IsOneFileWithDataStylesAndScripts) {
  const std::string page = report_page(report_named("train", "a"), Timeline{}, {});
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("<title>train - dflash-graph report</title>"));
  EXPECT_THAT(page, HasSubstr("Released under the MIT License"));
  EXPECT_THAT(page, HasSubstr("drawHead();"));
  EXPECT_EQ(data_of(page)["report"], report_named("train", "a"));
  for (const char* part : {"{{title}}", "{{style}}", "{{summary}}", "{{data}}", "{{scripts}}"}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
}

TEST(ReportPage, AsksNoNetwork) {
  const std::string page = report_page(report_named("train", "a"), Timeline{}, {});
  for (const char* word : {" src=", "@import", "fetch(", "XMLHttpRequest", "url(h", "url(\""}) {
    EXPECT_THAT(page, Not(HasSubstr(word)));
  }
}

TEST(ReportPage, NamesCannotBreakOut) {
  const std::string evil = "</script><script>alert(1)</script>{{data}}<!--\"'&\xff";
  const Json report = report_named(evil, evil);
  const std::string page = report_page(report, Timeline{}, {Json{{"step", 1}, {evil, 2}}});
  EXPECT_EQ(count_of(page, "<script>alert(1)"), 0);
  EXPECT_EQ(count_of(page, "<script"), 3);
  EXPECT_EQ(count_of(page, "</script>"), 3);
  EXPECT_EQ(data_of(page)["report"], parse_or_discard(text_of(report)));
}

TEST(ReportPage, IsThereForARunInWhichNothingFired) {
  const Json report = report_json(make_run_report("empty", RunRecord{}, 0.1));
  EXPECT_EQ(data_of(report_page(report, Timeline{}, {}))["report"], report);
}

TEST(ReportPage, StaysBelowHalfAMegabyteWithoutATimeline) {
  EXPECT_LT(report_page(report_named("train", "a"), Timeline{}, {}).size(), 500'000);
}

TEST(ReportPage, RefusesWhatIsNoReport) {
  Json report = report_named("train", "a");
  report["graph"] = 7;
  EXPECT_THROW(report_page(report, Timeline{}, {}), UserError);
}

TEST(HtmlText, HasNoMarkup) { EXPECT_EQ(html_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;'"); }

TEST(PageAsset, IsRefusedByAWrongName) { EXPECT_THROW((void)page_asset("page.htm"), InternalError); }

}  // namespace
}  // namespace dflash
