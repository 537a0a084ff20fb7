// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <gmock/gmock.h>

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> names(const std::vector<SweepVariant>& variants) {
  std::vector<std::string> names;
  std::ranges::transform(variants, std::back_inserter(names), &SweepVariant::name);
  return names;
}

SweepAxis axis(const std::string& text) {
  Diagnostics none;
  SweepAxis parsed = parse_axis(text, none);
  EXPECT_TRUE(none.empty());
  return parsed;
}

std::vector<SweepVariant> combined(const std::vector<SweepAxis>& axes, bool zip = false) {
  Diagnostics none;
  return combine(axes, zip, none);
}

std::string mistake(const std::vector<SweepAxis>& axes, bool zip = false) {
  Diagnostics diagnostics;
  EXPECT_THAT(combine(axes, zip, diagnostics), IsEmpty());
  return diagnostics.empty() ? "" : diagnostics.mistakes().front();
}

TEST(SweepPlan, SetsParametersAndSwapsStages) {
  EXPECT_THAT(axis("drafter.fc=concat,split"),
              ElementsAre(SweepVariant{.name = "drafter.fc=concat", .sets = {"drafter.fc=concat"}},
                          SweepVariant{.name = "drafter.fc=split", .sets = {"drafter.fc=split"}}));
  EXPECT_THAT(axis("data=synthetic"), ElementsAre(SweepVariant{.name = "data=synthetic", .swaps = {"data=synthetic"}}));
}

TEST(SweepPlan, LeavesCommasWithinAValue) {
  EXPECT_THAT(names(axis(R"(m.taps=[1,[2,3]],{"a":1,"b":2},"x,\",y",4)")),
              ElementsAre("m.taps=[1,[2,3]]", R"(m.taps={"a":1,"b":2})", R"(m.taps="x,\",y")", "m.taps=4"));
}

TEST(SweepPlan, RefusesWhatIsNoList) {
  for (const char* text : {"drafter.fc", "=1", "drafter.fc=", "drafter.fc=a,,b"}) {
    Diagnostics diagnostics;
    EXPECT_THAT(parse_axis(text, diagnostics), IsEmpty());
    EXPECT_THAT(diagnostics.mistakes(), ElementsAre(HasSubstr("allowed: PATH=VALUE,VALUE or STAGE=TYPE,TYPE"))) << text;
  }
}

TEST(SweepPlan, MultipliesOrPairs) {
  const std::vector<SweepAxis> axes{axis("a.x=1,2"), axis("b=p,q")};
  EXPECT_THAT(names(combined(axes)), ElementsAre("a.x=1+b=p", "a.x=1+b=q", "a.x=2+b=p", "a.x=2+b=q"));
  EXPECT_THAT(combined(axes, true),
              ElementsAre(SweepVariant{.name = "a.x=1+b=p", .swaps = {"b=p"}, .sets = {"a.x=1"}},
                          SweepVariant{.name = "a.x=2+b=q", .swaps = {"b=q"}, .sets = {"a.x=2"}}));
}

TEST(SweepPlan, RefusesListsThatMakeNoSweep) {
  EXPECT_THAT(mistake({}), HasSubstr("less than two variants"));
  EXPECT_THAT(mistake({axis("a.x=1")}), HasSubstr("less than two variants"));
  EXPECT_THAT(mistake({axis("a.x=1,2"), axis("a.y=1,2,3")}, true), HasSubstr("lists of 2 and 3 values"));
  const SweepAxis ten = axis("a.x=0,1,2,3,4,5,6,7,8,9");
  EXPECT_THAT(mistake({ten, ten, ten}), HasSubstr("more than 256 variants"));
}

TEST(SweepPlan, MakesNamesThatFoldersCanHave) {
  EXPECT_THAT(names(combined({axis("a.path=x/y,x y,z")})), ElementsAre("a.path=x_y", "a.path=x_y~2", "a.path=z"));
  EXPECT_THAT(names(combined({axis("a.x=" + std::string(500, 'p') + ",1")})).front(), SizeIs(120));
}

TEST(SweepPlan, GivesEachVariantEveryPlaceOnceInAsManyRounds) {
  for (const std::size_t count : {1U, 2U, 3U, 6U, 7U}) {
    std::set<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t round = 1; round <= count; ++round) {
      const std::vector<std::size_t> order = round_order(count, static_cast<std::int64_t>(round), 1);
      for (std::size_t place = 0; place < count; ++place) {
        places.emplace(order[place], place);
      }
    }
    EXPECT_THAT(places, SizeIs(count * count)) << count;
  }
}

TEST(SweepPlan, LetsEachVariantFollowEveryOtherOneAsOften) {
  for (const std::size_t count : {2U, 3U, 6U, 7U}) {
    std::map<std::pair<std::size_t, std::size_t>, int> followed;
    for (std::size_t round = 1; round <= 2 * count; ++round) {
      const std::vector<std::size_t> order = round_order(count, static_cast<std::int64_t>(round), 1);
      for (std::size_t place = 1; place < count; ++place) {
        ++followed[{order[place - 1], order[place]}];
      }
    }
    EXPECT_THAT(followed, SizeIs(count * (count - 1))) << count;
    for (const auto& [pair, times] : followed) {
      EXPECT_EQ(times, 2) << count << ": " << pair.first << " before " << pair.second;
    }
  }
}

TEST(SweepPlan, DrawsAnOrderByTheSeed) {
  EXPECT_EQ(round_order(5, 3, 1), round_order(5, 3, 1));
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    orders.insert(round_order(5, 1, seed));
  }
  EXPECT_THAT(orders, SizeIs(testing::Gt(5U)));
}

}  // namespace
}  // namespace dflash
