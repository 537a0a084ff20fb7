// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/live_address.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string url_of(const std::string& text) { return parse_live_address(text, false).url(); }

TEST(LiveAddress, IsAPortOrALoopbackAddressWithOne) {
  EXPECT_EQ(url_of("9100"), "http://127.0.0.1:9100/");
  EXPECT_EQ(url_of("0"), "http://127.0.0.1:0/");
  EXPECT_EQ(url_of("127.0.0.1:9100"), "http://127.0.0.1:9100/");
  EXPECT_EQ(url_of("127.1.2.3:9100"), "http://127.1.2.3:9100/");
  EXPECT_EQ(url_of("localhost:9100"), "http://127.0.0.1:9100/");
  EXPECT_EQ(url_of("[::1]:9100"), "http://[::1]:9100/");
  EXPECT_TRUE(parse_live_address("[::1]:9100", false).is_loopback);
}

TEST(LiveAddress, NamesTheFlagThatAllowsOthers) {
  for (const char* text : {"0.0.0.0:9100", "192.168.1.7:9100", "[::]:9100", "[fe80::1]:80"}) {
    EXPECT_THAT([&] { url_of(text); }, ThrowsMessage<UserError>(AllOf(HasSubstr(text), HasSubstr("--serve-anyone"))));
    EXPECT_FALSE(parse_live_address(text, true).is_loopback);
  }
}

TEST(LiveAddress, RefusesWhatIsNone) {
  for (const char* text : {"", "x", "65536", "-1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", ":9100", "[::1]",
                           "[::1", "::1:9100x", "example.org:80", "9100 ", "127.0.0.1:9100/"}) {
    EXPECT_THAT([&] { (void)parse_live_address(text, true); },
                ThrowsMessage<UserError>(AllOf(HasSubstr("--serve"), HasSubstr("127.0.0.1:PORT"))))
        << text;
  }
}

TEST(LiveAddress, KnowsTheNamesOfLoopbackInAHostHeader) {
  for (const char* host : {"localhost", "localhost:9100", "127.0.0.1", "127.0.0.1:80", "[::1]:9100", "[::1]"}) {
    EXPECT_TRUE(names_loopback(host)) << host;
  }
  for (const char* host : {"", "evil.example", "evil.example:9100", "localhost.evil.example", "127.0.0.1.evil.example",
                           "192.168.1.7:9100", "[::2]:9100", "[", ":", "evil.example:127.0.0.1"}) {
    EXPECT_FALSE(names_loopback(host)) << host;
  }
}

}  // namespace
}  // namespace dflash
