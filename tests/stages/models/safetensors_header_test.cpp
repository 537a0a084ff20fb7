// SPDX-License-Identifier: Apache-2.0
#include "stages/models/safetensors_header.h"

#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string file_of(const std::string& json, std::size_t data_size) {
  std::string file(8, '\0');
  const std::uint64_t length = json.size();
  std::memcpy(file.data(), &length, 8);
  return file + json + std::string(data_size, '\1');
}

SafetensorsHeader read(const std::string& file) {
  return read_safetensors_header(std::as_bytes(std::span(file)), "weights");
}

auto refusal(const std::string& json, std::size_t data_size) {
  return [=] { read(file_of(json, data_size)); };
}

const std::string kGood =
    R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
    R"("a":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"none":{"dtype":"U8","shape":[0,3],"data_offsets":[8,8]}})";

TEST(SafetensorsHeader, ListsTensorsInTheOrderOfTheirBytes) {
  const SafetensorsHeader header = read(file_of(kGood, 16));
  ASSERT_EQ(header.tensors.size(), 3U);
  EXPECT_EQ(header.tensors[0].name, "a");
  EXPECT_EQ(header.tensors[1].name, "none");
  EXPECT_EQ(header.tensors[2].name, "b");
  EXPECT_EQ(header.tensors[2].type, at::kFloat);
  EXPECT_THAT(header.tensors[2].sizes, ElementsAre(2));
  EXPECT_EQ(header.tensors[2].end, 8 + kGood.size() + 16);
  EXPECT_EQ(header.metadata.at("format"), "pt");
}

TEST(SafetensorsHeader, RefusesFilesThatAreTooShort) {
  EXPECT_THAT([] { read(""); }, ThrowsMessage<UserError>(HasSubstr("0 bytes, expected at least 8")));
  EXPECT_THAT([] { read(file_of(kGood, 0).substr(0, 40)); }, ThrowsMessage<UserError>(HasSubstr("file of 40 bytes")));
  EXPECT_THAT([] { read(std::string(16, '\xff')); }, ThrowsMessage<UserError>(HasSubstr("18446744073709551615")));
  EXPECT_THAT(refusal(kGood, 15),
              ThrowsMessage<UserError>(AllOf(HasSubstr("weights, tensor 'b'"), HasSubstr("15 bytes"))));
}

TEST(SafetensorsHeader, RefusesBytesOfNoTensor) {
  EXPECT_THAT(refusal(kGood, 17),
              ThrowsMessage<UserError>(HasSubstr("the file has 220 bytes, expected 219 by its header")));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2),
              ThrowsMessage<UserError>(HasSubstr("bytes of no tensor lie before")));
}

TEST(SafetensorsHeader, RefusesTensorsThatOverlap) {
  EXPECT_THAT(
      refusal(
          R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
          3),
      ThrowsMessage<UserError>(AllOf(HasSubstr("tensor 'b'"), HasSubstr("overlap"))));
}

TEST(SafetensorsHeader, RefusesOffsetsThatDoNotFitTheShape) {
  EXPECT_THAT(refusal(R"({"a":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,10]}})", 10),
              ThrowsMessage<UserError>(HasSubstr("span 10 bytes, expected 12 for BF16 of shape [2, 3]")));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[1,0]}})", 1),
              ThrowsMessage<UserError>(HasSubstr("[1, 0] are not inside")));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F64","shape":[4294967296,4294967296,4],"data_offsets":[0,0]}})", 0),
              ThrowsMessage<UserError>(HasSubstr("too large")));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[0,4611686018427387904,8],"data_offsets":[0,0]}})", 0),
              ThrowsMessage<UserError>(HasSubstr("too large")));
}

TEST(SafetensorsHeader, RefusesEntriesOfAnotherForm) {
  EXPECT_THAT(
      refusal(R"({"a":{"dtype":"F8_E5M2","shape":[],"data_offsets":[0,1]}})", 1),
      ThrowsMessage<UserError>(AllOf(HasSubstr("'F8_E5M2' is not supported"), HasSubstr("F64, F32, F16, BF16"))));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shap":[],"data_offsets":[0,1]}})", 1),
              ThrowsMessage<UserError>(HasSubstr("did you mean 'shape'?")));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[]}})", 0),
              ThrowsMessage<UserError>(HasSubstr("no 'data_offsets'")));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})", 0),
              ThrowsMessage<UserError>(HasSubstr("shape has -1")));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", 1),
              ThrowsMessage<UserError>(HasSubstr("shape has 1.0")));
  EXPECT_THAT(refusal(R"({"a":3})", 0), ThrowsMessage<UserError>(HasSubstr("expected an object")));
  EXPECT_THAT(refusal(R"({"__metadata__":{"a":1}})", 0), ThrowsMessage<UserError>(HasSubstr("__metadata__.a")));
}

TEST(SafetensorsHeader, RefusesWhatIsNotOneJsonObject) {
  EXPECT_THAT(refusal("[]", 0), ThrowsMessage<UserError>(HasSubstr("expected an object")));
  EXPECT_THAT(refusal("{,}", 0), ThrowsMessage<UserError>(HasSubstr("not JSON")));
  EXPECT_THAT(refusal(std::string("{}\0{", 4), 0),
              ThrowsMessage<UserError>(HasSubstr("column 3: not JSON: a zero byte")));
  EXPECT_THAT(refusal("{\"\xff\":1}", 0), ThrowsMessage<UserError>(HasSubstr("not JSON")));
  EXPECT_THAT(refusal(R"({"a":1e999})", 0), ThrowsMessage<UserError>(HasSubstr("not JSON")));
  EXPECT_THAT(refusal(R"({"__metadata__":{},"__metadata__":{}})", 0),
              ThrowsMessage<UserError>(HasSubstr("key '__metadata__' twice")));
}

TEST(SafetensorsHeader, SurvivesAnyBytes) {
  const std::string good = file_of(kGood, 16);
  std::mt19937_64 random(1);
  std::size_t refused = 0;
  constexpr std::size_t kTrials = 20000;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    std::string bad = good;
    for (std::uint64_t change = 0; change <= random() % 4; ++change) {
      bad[random() % bad.size()] = static_cast<char>(random() % 2 == 0 ? random() : '0' + random() % 12);
    }
    bad.resize(random() % 8 == 0 ? random() % bad.size() : bad.size());
    try {
      const SafetensorsHeader header = read(bad);
      EXPECT_THAT(header.tensors, testing::Each(testing::Field(&StoredTensor::end, testing::Le(bad.size()))));
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kTrials / 2);
  EXPECT_LT(refused, kTrials);
}

TEST(SafetensorsHeader, SurvivesDeepNesting) {
  EXPECT_THAT(refusal(std::string(1'000'000, '['), 0), ThrowsMessage<UserError>(HasSubstr("not JSON")));
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","data_offsets":[0,0],"shape":)" + deep + "}}", 0),
              ThrowsMessage<UserError>(HasSubstr("nested deeper than 64 levels")));
}

}  // namespace
}  // namespace dflash
