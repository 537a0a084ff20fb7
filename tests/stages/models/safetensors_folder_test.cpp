// SPDX-License-Identifier: Apache-2.0
#include "stages/models/safetensors_folder.h"

#include <fstream>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json.h"
#include "tests/support/any_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class SafetensorsFolderTest : public testing::Test {
 protected:
  void write_index(const std::string& weight_map) const {
    write_durably(folder_.path() / "model.safetensors.index.json",
                  R"({"metadata": {}, "weight_map": )" + weight_map + "}");
  }
  void write_shards() const {
    write_safetensors(folder_.path() / "one.safetensors", {{"a", at::full({1}, 1.0)}, {"b", at::full({1}, 2.0)}});
    write_safetensors(folder_.path() / "two.safetensors", {{"c", at::full({1}, 3.0)}});
  }
  [[nodiscard]] auto opening() const {
    return [this] { SafetensorsFolder{folder_.path()}; };
  }
  TemporaryFolder folder_;
};

TEST_F(SafetensorsFolderTest, ReadsShardsByTheirIndex) {
  write_shards();
  write_index(R"({"c": "two.safetensors", "a": "one.safetensors", "b": "one.safetensors"})");
  const SafetensorsFolder files(folder_.path());
  EXPECT_THAT(files.names(), ElementsAre("c", "a", "b"));
  EXPECT_EQ(files.tensor("c").item<float>(), 3.0F);
  EXPECT_EQ(files.tensor("a").item<float>(), 1.0F);
  files.forget("a");
  EXPECT_EQ(files.tensor("a").item<float>(), 1.0F);
  EXPECT_EQ(files.find("d"), nullptr);
  EXPECT_THAT([&] { (void)files.tensor("d"); }, ThrowsMessage<UserError>(HasSubstr("has no tensor 'd'")));
}

TEST_F(SafetensorsFolderTest, TellsAllThatIsWrongWithIndexAndShardsInOneMessage) {
  write_shards();
  write_safetensors(folder_.path() / "three.safetensors", {{"a", at::ones({1})}, {"e", at::ones({1})}});
  write_safetensors(folder_.path() / "model-00001-of-00009.safetensors", {{"x", at::ones({1})}});
  write_durably(folder_.path() / "four.safetensors", "12345678");
  write_index(R"({"a": "one.safetensors", "c": "one.safetensors", "d": "two.safetensors", "e": "three.safetensors",
                  "f": "four.safetensors", "g": "five.safetensors", "h": "../two.safetensors"})");
  EXPECT_THAT(
      opening(),
      ThrowsMessage<UserError>(AllOf(
          HasSubstr("tensor 'h': '../two.safetensors' is not the name"),
          HasSubstr("tensor 'c': not in 'one.safetensors'"),
          HasSubstr("one.safetensors, tensor 'b': model.safetensors.index.json does not name it"),
          HasSubstr("three.safetensors, tensor 'a': model.safetensors.index.json has it in 'one.safetensors'"),
          HasSubstr("tensor 'd': not in 'two.safetensors'"), HasSubstr("four.safetensors: "),
          HasSubstr("five.safetensors': No such file"), HasSubstr("model-00001-of-00009.safetensors' is unused"))));
  std::vector<std::string> faults;
  const SafetensorsFolder files(folder_.path(), faults);
  EXPECT_THAT(files.names(), ElementsAre("a", "e"));
  EXPECT_TRUE(files.is_lost("f") && files.is_lost("g") && files.is_lost("h") && files.is_lost("c"));
  EXPECT_FALSE(files.is_lost("a"));
}

TEST_F(SafetensorsFolderTest, RefusesAnIndexThatNamesATensorTwice) {
  write_shards();
  write_index(R"({"c": "two.safetensors", "a": "one.safetensors", "b": "one.safetensors", "c": "one.safetensors"})");
  EXPECT_THAT(opening(), ThrowsMessage<UserError>(HasSubstr("key 'c' appears twice")));
}

TEST_F(SafetensorsFolderTest, PrefersTheSingleFile) {
  write_index(R"({"c": "missing.safetensors"})");
  write_safetensors(folder_.path() / "model.safetensors", {{"x", at::ones({1})}});
  EXPECT_THAT(SafetensorsFolder(folder_.path()).names(), ElementsAre("x"));
}

TEST_F(SafetensorsFolderTest, RefusesAFolderWithoutWeights) {
  EXPECT_THAT(opening(), ThrowsMessage<UserError>(HasSubstr("neither model.safetensors nor")));
  EXPECT_THAT([&] { SafetensorsFolder{folder_.path() / "none"}; }, ThrowsMessage<UserError>(HasSubstr("not a folder")));
}

TEST_F(SafetensorsFolderTest, RefusesAnIndexThatDoesNotFit) {
  write_shards();
  write_index(R"({"c": "one.safetensors"})");
  EXPECT_THAT(opening(), ThrowsMessage<UserError>(HasSubstr("tensor 'c': not in 'one.safetensors'")));
  write_index(R"({"c": "three.safetensors"})");
  EXPECT_THAT(opening(), ThrowsMessage<UserError>(HasSubstr("three.safetensors")));
  write_index(R"({"c": "../two.safetensors"})");
  EXPECT_THAT(opening(), ThrowsMessage<UserError>(HasSubstr("not the name of a file in the folder")));
  write_index(R"({"c": 3})");
  EXPECT_THAT(opening(), ThrowsMessage<UserError>(HasSubstr("expected a string")));
  write_index("3");
  EXPECT_THAT(opening(), ThrowsMessage<UserError>(HasSubstr("'weight_map'")));
  write_index("{");
  EXPECT_THAT(opening(), ThrowsMessage<UserError>(HasSubstr("not JSON")));
}

TEST_F(SafetensorsFolderTest, ReadsOrRefusesAnyChangeOfAnIndex) {
  write_shards();
  const Json index{{"metadata", Json::object()},
                   {"weight_map", {{"c", "two.safetensors"}, {"a", "one.safetensors"}, {"b", "one.safetensors"}}}};
  EXPECT_TRUE(rc::check([&] {
    std::ofstream{folder_.path() / "model.safetensors.index.json"} << mutated(index);
    try {
      const SafetensorsFolder files(folder_.path());
      for (const std::string& name : files.names()) {
        RC_ASSERT(files.tensor(name).numel() == 1);
      }
    } catch (const UserError& error) {
      RC_ASSERT(std::string_view{error.what()}.find(folder_.path().string()) != std::string_view::npos);
    }
  }));
}

}  // namespace
}  // namespace dflash
