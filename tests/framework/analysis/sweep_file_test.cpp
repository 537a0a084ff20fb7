// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_file.h"

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> mistakes(const std::string& text) {
  Diagnostics diagnostics;
  const auto parsed = parse_json_text(text, "s.json", diagnostics);
  (void)read_sweep(parsed.value(), diagnostics);
  return diagnostics.mistakes();
}

TEST(SweepFile, HasNamedVariantsAndLists) {
  Diagnostics none;
  const auto parsed = parse_json_text(R"({
    "schema": "dflash-sweep/1",
    "variants": {
      "plain": {},
      "quick": { "set": { "drafter.fc": "split", "queue.capacity": 60 }, "swap": { "data": "synthetic" }, "overlay": "o.json" },
      "both": { "overlay": ["a.json", "b.json"] }
    },
    "vary": { "run.name": ["4", "x"], "m.taps": [[1, 2], 3], "batch": ["packer"] },
    "zip": true
  })",
                                      "s.json", none);
  const SweepFile file = read_sweep(parsed.value(), none);
  EXPECT_THAT(none.mistakes(), IsEmpty());
  EXPECT_TRUE(file.zip);
  EXPECT_THAT(file.axes, ElementsAre(ElementsAre(SweepVariant{.name = "plain"},
                                                 SweepVariant{.name = "quick",
                                                              .overlays = {"o.json"},
                                                              .swaps = {"data=synthetic"},
                                                              .sets = {R"(drafter.fc="split")", "queue.capacity=60"}},
                                                 SweepVariant{.name = "both", .overlays = {"a.json", "b.json"}}),
                                     ElementsAre(SweepVariant{.name = "run.name=4", .sets = {R"(run.name="4")"}},
                                                 SweepVariant{.name = "run.name=x", .sets = {R"(run.name="x")"}}),
                                     ElementsAre(SweepVariant{.name = "m.taps=[1,2]", .sets = {"m.taps=[1,2]"}},
                                                 SweepVariant{.name = "m.taps=3", .sets = {"m.taps=3"}}),
                                     ElementsAre(SweepVariant{.name = "batch=packer", .swaps = {"batch=packer"}})));
}

TEST(SweepFile, TellsEveryMistakeInItsPlace) {
  EXPECT_THAT(mistakes("[]"), ElementsAre(HasSubstr("s.json:1:1: found [], allowed: an object")));
  EXPECT_THAT(
      mistakes(R"({"schema": "dflash-sweep/2", "varry": {}, "zip": 1,
    "variants": {"a": {"sets": {}}, "b": 3, "": {}, "c": {"swap": {"data": 1}, "overlay": 5, "set": []}},
    "vary": {"x.y": 4, "x.z": []}})"),
      AllOf(Contains(HasSubstr("/schema: found \"dflash-sweep/2\", allowed: \"dflash-sweep/1\"")),
            Contains(HasSubstr("'varry'; did you mean 'vary'?")), Contains(HasSubstr("/zip: found 1")),
            Contains(HasSubstr("'sets'; did you mean 'set'?")), Contains(HasSubstr("/variants/b: found 3")),
            Contains(HasSubstr("a variant without a name")), Contains(HasSubstr("/variants/c/swap/data: found 1")),
            Contains(HasSubstr("/variants/c/overlay: found 5")), Contains(HasSubstr("/variants/c/set: found []")),
            Contains(HasSubstr("/vary/x.y: found 4, allowed: a list")), Contains(HasSubstr("/vary/x.z: found []"))));
  EXPECT_THAT(mistakes("{}"), ElementsAre(HasSubstr("'schema'")));
}

}  // namespace
}  // namespace dflash
