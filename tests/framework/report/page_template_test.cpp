// SPDX-License-Identifier: Apache-2.0
#include "framework/report/page_template.h"

#include <array>

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(PageTemplate, PutsPartsWhereTheirNamesStand) {
  EXPECT_EQ(filled_page("<a>{{one}}</a>{{two}}{{none}}", {{"one", "{{two}}"}, {"two", "2"}}), "<a>{{two}}</a>2");
  EXPECT_EQ(filled_page("no {{end", {{"end", "x"}}), "no {{end");
}

TEST(PageTemplate, KeepsScriptsToThemselves) {
  const std::array<std::string_view, 2> scripts{"const a = 1;\n", "const b = a;\n"};
  EXPECT_EQ(script_text(scripts), "(() => {\n\"use strict\";\nconst a = 1;\nconst b = a;\n})();\n");
}

}  // namespace
}  // namespace dflash
