// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/shard_file.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "stages/models/safetensors.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<Document> some_rows() {
  return {{.row_id = 3, .ids = {1, 2, 3}, .loss_mask = {0, 1, 1}, .tag = "math"},
          {.row_id = 5, .ids = {}, .loss_mask = {}},
          {.row_id = 9, .ids = {70000}, .loss_mask = {1}, .tag = "é"}};
}

TEST(ShardFile, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "a.safetensors";
  write_shard(file, some_rows(), {{"tokenizer", "ab"}});
  const ShardFile shard{file};
  ASSERT_EQ(shard.rows(), 3);
  EXPECT_EQ(shard.tokens(), 4);
  EXPECT_EQ(shard.settings().at("tokenizer"), "ab");
  for (std::int64_t i = 0; i < 3; ++i) {
    const Document expected = some_rows()[static_cast<std::size_t>(i)];
    const Document found = shard.row(i);
    EXPECT_EQ(found.row_id, expected.row_id);
    EXPECT_EQ(found.ids, expected.ids);
    EXPECT_EQ(found.loss_mask, expected.loss_mask);
    EXPECT_EQ(found.tag, expected.tag);
  }
}

TEST(ShardFile, KeepsNoTagsWhereNoRowHasOne) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "a.safetensors";
  write_shard(file, std::vector<Document>{{.row_id = 0, .ids = {1}, .loss_mask = {1}}}, {});
  EXPECT_EQ(SafetensorsFile{file}.find("tags"), nullptr);
  EXPECT_EQ(ShardFile{file}.row(0).tag, "");
}

struct Damage {
  const char* name;
  at::Tensor value;
  const char* message;
};

TEST(ShardFile, RefusesWhatContradictsItself) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "damaged.safetensors";
  const auto longs = [](std::vector<std::int64_t> values) { return at::tensor(values, at::kLong); };
  const std::vector<Damage> damages{
      {"ids", at::zeros({3, 1}, at::kInt), "'ids' is Int 3 x 1, allowed: a vector of Int"},
      {"loss_mask", at::zeros({2}, at::kByte), "2 values of loss_mask for 3 ids"},
      {"loss_mask", at::zeros({3}, at::kFloat), "'loss_mask' is Float 3"},
      {"offsets", longs({0, 1}), "2 offsets for 2 rows"},
      {"offsets", longs({}), "0 offsets for 2 rows"},
      {"offsets", longs({0, 4, 3}), "do not ascend from 0 to 3"},
      {"offsets", longs({-1, 1, 3}), "do not ascend from 0 to 3"},
      {"offsets", longs({0, 1, 2}), "do not ascend from 0 to 3"},
      {"tags", at::zeros({2}, at::kInt), "no list of texts 'tags'"},
  };
  for (const Damage& damage : damages) {
    std::vector<NamedTensor> tensors{{"ids", at::zeros({3}, at::kInt)},
                                     {"loss_mask", at::zeros({3}, at::kByte)},
                                     {"offsets", longs({0, 1, 3})},
                                     {"row_ids", longs({0, 1})}};
    std::erase_if(tensors, [&](const NamedTensor& tensor) { return tensor.first == damage.name; });
    tensors.emplace_back(damage.name, damage.value);
    write_safetensors(file, tensors);
    EXPECT_THAT([&] { ShardFile{file}; }, ThrowsMessage<UserError>(HasSubstr(damage.message))) << damage.message;
  }
}

TEST(ShardFile, RefusesTagsThatAreNotNumbersOfItsList) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "damaged.safetensors";
  for (const std::int32_t tag : {-1, 1}) {
    write_safetensors(file,
                      {{"ids", at::zeros({1}, at::kInt)},
                       {"loss_mask", at::zeros({1}, at::kByte)},
                       {"offsets", at::tensor(std::vector<std::int64_t>{0, 1}, at::kLong)},
                       {"row_ids", at::tensor(std::vector<std::int64_t>{0}, at::kLong)},
                       {"tags", at::tensor(std::vector<std::int32_t>{tag}, at::kInt)}},
                      {{"tags", "[\"a\"]"}});
    EXPECT_THAT([&] { ShardFile{file}; }, ThrowsMessage<UserError>(HasSubstr("not one number below 1")));
  }
}

}  // namespace
}  // namespace dflash
