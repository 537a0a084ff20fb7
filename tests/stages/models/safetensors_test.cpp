// SPDX-License-Identifier: Apache-2.0
#include "stages/models/safetensors.h"

#include <cstring>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Safetensors : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "t.safetensors";
};

TEST_F(Safetensors, ReturnsEveryTypeAsItWasWritten) {
  const at::Tensor values = at::tensor({0.0, 1.0, 0.0, 3.0, 1.5, 200.0}).view({2, 3});
  std::vector<NamedTensor> written;
  for (const at::ScalarType type :
       {at::kByte, at::kDouble, at::kBool, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt}) {
    written.emplace_back(c10::toString(type), values.to(type));
  }
  written.emplace_back("scalar", at::scalar_tensor(2.0));
  written.emplace_back("empty", at::empty({0, 4}));
  write_safetensors(file_, written, {{"format", "pt"}});
  const SafetensorsFile file(file_);
  EXPECT_THAT(file.metadata(), ElementsAre(testing::Pair("format", "pt")));
  EXPECT_THAT(written, testing::Each(testing::Truly([&](const NamedTensor& tensor) {
                const at::Tensor found = file.tensor(tensor.first);
                return found.scalar_type() == tensor.second.scalar_type() && at::equal(found, tensor.second);
              })));
}

TEST_F(Safetensors, KeepsTheOrderGivenAndWritesStridedTensorsWhole) {
  const at::Tensor matrix = at::arange(6, at::kFloat).view({2, 3});
  write_safetensors(file_, {{"z", matrix.t()}, {"a", matrix}});
  const SafetensorsFile file(file_);
  EXPECT_THAT(file.tensors(), ElementsAre(Field(&StoredTensor::name, "z"), Field(&StoredTensor::name, "a")));
  EXPECT_TRUE(at::equal(file.tensor("z"), matrix.t()));
}

TEST_F(Safetensors, TensorsOutliveTheFileObjectAndItsReplacement) {
  write_safetensors(file_, {{"a", at::ones({4})}});
  at::Tensor kept;
  {
    const SafetensorsFile file(file_);
    kept = file.tensor("a");
  }
  write_safetensors(file_, {{"a", at::zeros({4})}});
  EXPECT_TRUE(at::equal(kept, at::ones({4})));
  kept.add_(1.0);
  EXPECT_TRUE(at::equal(SafetensorsFile(file_).tensor("a"), at::zeros({4})));
}

TEST_F(Safetensors, ReadsTensorsThatAreNotAligned) {
  const std::string json =
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})";
  const std::uint64_t length = json.size();
  const float value = 2.5F;
  std::string text(8, '\0');
  std::memcpy(text.data(), &length, 8);
  text += json + '\7' + std::string(4, '\0');
  std::memcpy(text.data() + text.size() - 4, &value, 4);
  write_durably(file_, text);
  EXPECT_EQ(SafetensorsFile(file_).tensor("b").item<float>(), 2.5F);
}

TEST_F(Safetensors, NamesTheNearestTensorForAnUnknownOne) {
  write_safetensors(file_, {{"model.norm.weight", at::ones({1})}});
  const SafetensorsFile file(file_);
  EXPECT_EQ(file.find("model.nrm.weight"), nullptr);
  EXPECT_THAT([&] { (void)file.tensor("model.nrm.weight"); },
              ThrowsMessage<UserError>(HasSubstr("did you mean 'model.norm.weight'?")));
}

TEST_F(Safetensors, LeavesNothingBehindWhereWritingFails) {
  const at::Tensor one = at::ones({1});
  EXPECT_THAT([&] { write_safetensors(file_, {{"a", one}, {"a", one}}); }, ThrowsMessage<UserError>(HasSubstr("'a'")));
  EXPECT_THAT([&] { write_safetensors(file_, {{"__metadata__", one}}); },
              ThrowsMessage<UserError>(HasSubstr("reserved")));
  EXPECT_THAT([&] { write_safetensors(file_, {{"a", one.to(at::kChar)}}); },
              ThrowsMessage<UserError>(HasSubstr("Char is not supported")));
  EXPECT_THAT([&] { write_safetensors(folder_.path() / "none" / "t", {{"a", one}}); },
              ThrowsMessage<UserError>(HasSubstr("none")));
  std::filesystem::create_directory(file_);
  EXPECT_THAT([&] { write_safetensors(file_, {{"a", one}}); }, ThrowsMessage<UserError>(HasSubstr("cannot rename")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

}  // namespace
}  // namespace dflash
