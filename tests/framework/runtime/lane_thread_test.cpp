// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/lane_thread.h"

#include <array>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <pthread.h>

namespace dflash {
namespace {

using testing::ElementsAre;

TEST(LaneThread, RunsWhatIsPostedInOrderOnOneThread) {
  std::vector<std::size_t> run;
  std::set<std::thread::id> threads;
  int started = 0;
  {
    LaneThread lane{"lane", [&] { ++started; },
                    [&](std::size_t position) {
                      run.push_back(position);
                      threads.insert(std::this_thread::get_id());
                    }};
    for (std::size_t i = 0; i < 5; ++i) {
      lane.post(4 - i);
    }
  }
  EXPECT_EQ(started, 1);
  EXPECT_THAT(run, ElementsAre(4, 3, 2, 1, 0));
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(LaneThread, IsNamedAfterTheLaneAsFarAsLinuxAllows) {
  std::string name;
  {
    LaneThread lane{"cuda:0 and much more", [] {},
                    [&](std::size_t) {
                      std::array<char, 32> text{};
                      pthread_getname_np(pthread_self(), text.data(), text.size());
                      name = text.data();
                    }};
    lane.post(0);
  }
  EXPECT_EQ(name, "cuda:0 and much");
}

}  // namespace
}  // namespace dflash
