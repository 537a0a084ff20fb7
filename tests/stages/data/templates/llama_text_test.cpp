// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/llama_text.h"

#include <gtest/gtest.h>

namespace dflash {
namespace {

TEST(LlamaText, TrimsWhatPythonTakesForWhiteSpace) {
  EXPECT_EQ(trimmed(" \t\u00A0a b\u3000\x1C\n"), "a b");
  EXPECT_EQ(trimmed("\u200Ba\uFEFF"), "\u200Ba\uFEFF");
  EXPECT_EQ(trimmed(" \u2028\n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(LlamaText, HeadersNameTheRole) { EXPECT_EQ(llama_header("user"), "<|start_header_id|>user<|end_header_id|>\n\n"); }

}  // namespace
}  // namespace dflash
