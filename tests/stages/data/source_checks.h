// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "framework/core/stage_runner.h"
#include "stages/data/document.h"
#include "stages/data/text_codec.h"

namespace dflash {

/// What a data stage needs to open: the tiny target's codec and a seed.
class CodecEnv {
 public:
  CodecEnv() { resources_.put(std::make_shared<TextCodec>(load_text_codec(DFLASH_SOURCE_DIR "/configs/tiny/target"))); }
  [[nodiscard]] StageEnv env(std::uint64_t seed = 1) const {
    StageEnv env;
    env.name = "data";
    env.seed = seed;
    env.resources = &resources_;
    return env;
  }
  [[nodiscard]] TextCodec& codec() const { return resources_.get<TextCodec>(); }

 private:
  Resources resources_;
};

inline std::string data_file(const std::string& name, const std::string& content) {
  const std::filesystem::path path = std::filesystem::path{testing::TempDir()} / name;
  std::ofstream{path, std::ios::binary} << content;
  return path.string();
}

/// Everything that tells two documents apart.
inline bool same(const Document& a, const Document& b) {
  return a.row_id == b.row_id && a.epoch == b.epoch && a.ids == b.ids && a.loss_mask == b.loss_mask && a.tag == b.tag;
}

template <class StageType>
std::vector<Document> documents(StageRunner& runner, StageType& stage, std::int64_t max_firings) {
  runner.run_until_end(max_firings);
  return runner.outputs(stage.out);
}

/// Runs a stage of type T (set up by `make`) for `before` firings, saves, and compares what it and a second one that
/// loads the snapshot emit next.
template <class T, class Make>
void expect_same_after_load(const Make& make, const StageEnv& env, std::int64_t before, std::int64_t after) {
  T original;
  T resumed;
  make(original);
  make(resumed);
  StageRunner first{original, env};
  (void)documents(first, original, before);
  StageRunner second{resumed, env};
  second.load(first.save());
  const std::vector<Document> expected = documents(first, original, after);
  const std::vector<Document> found = documents(second, resumed, after);
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(after));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin(), found.end(), same));
}

}  // namespace dflash
