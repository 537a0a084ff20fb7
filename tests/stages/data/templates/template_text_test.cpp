// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/template_text.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(TemplateText, TakesALineBreakInAStringForItsEscape) {
  EXPECT_EQ(normalized_template("{{ 'a\nb' }}"), "{{ 'a\\nb' }}");
  EXPECT_EQ(normalized_template("{% set x = \"it's\n\" %}"), "{% set x = \"it's\\n\" %}");
}

TEST(TemplateText, KeepsLineBreaksThatMeanSomething) {
  EXPECT_EQ(normalized_template("a\n{%- if x\n %}'\n'{{ y }}"), "a\n{%- if x\n %}'\n'{{ y }}");
  EXPECT_EQ(normalized_template("{{ 'a\\'\n' }}"), "{{ 'a\\'\\n' }}");
}

TEST(TemplateText, DropsOneLineBreakAtTheEndAndCarriageReturns) {
  EXPECT_EQ(normalized_template("a\r\nb\r\n\r\n"), "a\nb\n");
  EXPECT_EQ(normalized_template(""), "");
}

TEST(TemplateText, KeyIsThatOfTheNormalizedText) {
  EXPECT_EQ(template_key("{{ '\n' }}\n"), template_key("{{ '\\n' }}"));
  EXPECT_NE(template_key("{{ '\n' }}"), template_key("\n{{ '\n' }}"));
}

}  // namespace
}  // namespace dflash
