// SPDX-License-Identifier: Apache-2.0
#include "framework/core/diagnostics.h"

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Diagnostics, ListsAllMistakesInOneError) {
  Diagnostics diagnostics;
  EXPECT_NO_THROW(diagnostics.throw_if_any());
  diagnostics.add("a.json:1:2", "/x", "found 3");
  EXPECT_THAT([&] { diagnostics.throw_if_any(); }, ThrowsMessage<UserError>("a.json:1:2: /x: found 3"));
  diagnostics.add_unknown("--set a.b=1", "", "key", "stpes", {"steps", "seed"});
  EXPECT_THAT([&] { diagnostics.throw_if_any(); },
              ThrowsMessage<UserError>(
                  "2 mistakes:\n  a.json:1:2: /x: found 3\n  --set a.b=1: unknown key 'stpes'; did you mean 'steps'?"));
}

TEST(Diagnostics, ListsWhatIsKnownWhereNothingIsNear) {
  Diagnostics diagnostics;
  diagnostics.add_unknown("a.json:1:2", "", "key", "capacity", {"steps", "seed"});
  diagnostics.add_unknown("a.json:1:2", "", "key", std::string(5'000'000, 'x'), {"steps", "seed"});
  EXPECT_THAT(diagnostics.mistakes(),
              ElementsAre(HasSubstr("'capacity'; known: steps, seed"), HasSubstr("xxx...'; known: steps, seed")));
}

}  // namespace
}  // namespace dflash
