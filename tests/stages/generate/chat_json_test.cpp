// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/chat_json.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "stages/data/chat_rows.h"

namespace dflash {
namespace {

TEST(ChatJson, IsReadAsItWasWritten) {
  const std::vector<ChatMessage> written{{.role = "user", .content = "a \"q\"\n"},
                                         {.role = "assistant", .content = "b", .loss = false},
                                         {.role = "user", .content = ""},
                                         {.role = "assistant", .content = "é", .reasoning = "r"}};
  const Json row = chat_row_json(written, "math");
  for (const std::vector<ChatMessage>& read :
       {chat_messages(row), std::get<ChatRow>(parse_chat_row(row.dump())).messages}) {
    ASSERT_EQ(read.size(), written.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].role, written[i].role);
      EXPECT_EQ(read[i].content, written[i].content);
      EXPECT_EQ(read[i].loss, written[i].loss);
      EXPECT_EQ(read[i].reasoning, written[i].reasoning);
    }
  }
  EXPECT_EQ(row.at("tag"), "math");
  EXPECT_FALSE(chat_row_json(written, "").contains("tag"));
}

}  // namespace
}  // namespace dflash
