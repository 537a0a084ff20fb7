// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "framework/runtime/wake_state.h"

namespace dflash {
namespace {

/// A wake state whose runner leaves in two steps: it looks whether there is news, then goes. What comes between is
/// lost.
class HastyWakeState {
 public:
  [[nodiscard]] bool notify() {
    const bool was_idle = state_ == 0;
    state_ = 2;
    return was_idle;
  }
  void begin() { state_ = 1; }
  [[nodiscard]] bool may_leave() const { return state_ == 1; }
  void leave() { state_ = 0; }

 private:
  int state_ = 0;
};

/// One waker that publishes `kNews` items, waking the stage for each, twice; and as many runners as get scheduled. Each
/// step is one atomic operation, so that all orders of steps are all interleavings.
template <class Wake>
class Model {
 public:
  static constexpr int kWakers = 2;
  static constexpr int kNews = 3;
  static constexpr int kRunners = 3;

  /// Which threads can make a step: wakers first, then runners.
  [[nodiscard]] std::vector<int> enabled() const {
    std::vector<int> threads;
    for (int i = 0; i < kWakers; ++i) {
      if (wakers_[i].news < kNews) {
        threads.push_back(i);
      }
    }
    for (int i = 0; i < kRunners; ++i) {
      const bool may_start = runners_[i] == Runner::kAway && scheduled_ > 0;
      if (may_start || runners_[i] != Runner::kAway) {
        threads.push_back(kWakers + i);
      }
    }
    return threads;
  }

  void step(int thread) {
    if (thread < kWakers) {
      step_waker(wakers_[thread]);
    } else {
      step_runner(runners_[thread - kWakers]);
    }
  }

  [[nodiscard]] bool has_two_runners() const {
    int inside = 0;
    for (const Runner runner : runners_) {
      inside += runner == Runner::kLooking || runner == Runner::kLeaving || runner == Runner::kGoing ? 1 : 0;
    }
    return inside > 1;
  }
  [[nodiscard]] bool has_lost_news() const { return seen_ < published_; }

  /// All that decides what can follow. The wake state itself is told by what was done to it last.
  [[nodiscard]] std::string key() const {
    std::string text;
    for (const Waker& waker : wakers_) {
      text += static_cast<char>('0' + waker.news);
      text += waker.has_published ? 'p' : ' ';
    }
    for (const Runner runner : runners_) {
      text += static_cast<char>('a' + static_cast<int>(runner));
    }
    return text + std::to_string(scheduled_) + '/' + std::to_string(published_) + '/' + std::to_string(seen_) + '/' +
           std::to_string(wake_word_);
  }

 private:
  struct Waker {
    int news = 0;
    bool has_published = false;
  };
  enum class Runner { kAway, kBeginning, kLooking, kLeaving, kGoing };

  void step_waker(Waker& waker) {
    if (!waker.has_published) {
      ++published_;
      waker.has_published = true;
      return;
    }
    scheduled_ += wake_.notify() ? 1 : 0;
    wake_word_ = 2;
    waker.has_published = false;
    ++waker.news;
  }

  void step_runner(Runner& runner) {
    switch (runner) {
      case Runner::kAway:
        --scheduled_;
        runner = Runner::kBeginning;
        return;
      case Runner::kBeginning:
        wake_.begin();
        wake_word_ = 1;
        runner = Runner::kLooking;
        return;
      case Runner::kLooking:
        seen_ = published_;
        runner = Runner::kLeaving;
        return;
      case Runner::kLeaving:
        runner = try_leave();
        return;
      case Runner::kGoing:
        if constexpr (requires { wake_.leave(); }) {
          wake_.leave();
        }
        wake_word_ = 0;
        runner = Runner::kAway;
        return;
    }
  }

  Runner try_leave() {
    if constexpr (requires { wake_.may_leave(); }) {
      return wake_.may_leave() ? Runner::kGoing : Runner::kBeginning;
    } else {
      if (!wake_.try_leave()) {
        return Runner::kBeginning;
      }
      wake_word_ = 0;
      return Runner::kAway;
    }
  }

  Wake wake_;
  int wake_word_ = 0;
  Waker wakers_[kWakers];
  Runner runners_[kRunners] = {};
  int scheduled_ = 0;
  int published_ = 0;
  int seen_ = 0;
};

struct Explored {
  std::set<std::string> states;
  bool two_runners = false;
  bool lost_news = false;
};

/// Every order of steps, each state once. A wake state cannot be copied, so a path is walked again from its beginning.
template <class Wake>
void explore(std::vector<int>& path, Explored& explored) {
  Model<Wake> model;
  for (const int thread : path) {
    model.step(thread);
  }
  if (!explored.states.insert(model.key()).second) {
    return;
  }
  explored.two_runners = explored.two_runners || model.has_two_runners();
  const std::vector<int> enabled = model.enabled();
  explored.lost_news = explored.lost_news || (enabled.empty() && model.has_lost_news());
  for (const int thread : enabled) {
    path.push_back(thread);
    explore<Wake>(path, explored);
    path.pop_back();
  }
}

template <class Wake>
Explored explore_all() {
  Explored explored;
  std::vector<int> path;
  explore<Wake>(path, explored);
  return explored;
}

TEST(WakeProtocol, LosesNoNewsAndHasOneRunnerInEveryInterleaving) {
  const Explored explored = explore_all<WakeState>();
  EXPECT_FALSE(explored.lost_news);
  EXPECT_FALSE(explored.two_runners);
  EXPECT_GT(explored.states.size(), 1000U);
  RecordProperty("states", static_cast<int>(explored.states.size()));
}

TEST(WakeProtocol, TheModelFindsALostWakeUpWhereLeavingIsTwoSteps) {
  EXPECT_TRUE(explore_all<HastyWakeState>().lost_news);
}

}  // namespace
}  // namespace dflash
