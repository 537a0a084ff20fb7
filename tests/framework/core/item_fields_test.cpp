// SPDX-License-Identifier: Apache-2.0
#include "framework/core/item_fields.h"

#include <bit>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "framework/core/error.h"
#include "framework/core/json.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::string an_item() {
  ItemWriter writer{"thing"};
  writer.set("step", -7);
  writer.set_real("lr", 0.1);
  writer.add("numbers", std::vector<std::int64_t>{1, std::numeric_limits<std::int64_t>::min()});
  writer.add("ids", std::vector<std::int32_t>{3});
  writer.add("mask", std::vector<std::uint8_t>{0, 255});
  writer.add_text("stage", "drafter");
  writer.add_texts("names", {"loss", "", "acc\xff"});
  return writer.take();
}

TEST(ItemFields, ComeBackAsTheyWere) {
  const std::string bytes = an_item();
  const ItemReader reader{bytes, "thing"};
  EXPECT_EQ(reader.number("step"), -7);
  EXPECT_EQ(reader.real("lr"), 0.1);
  EXPECT_THAT(reader.numbers("numbers"), ElementsAre(1, std::numeric_limits<std::int64_t>::min()));
  EXPECT_THAT(reader.short_numbers("ids"), ElementsAre(3));
  EXPECT_THAT(reader.bytes("mask"), ElementsAre(0, 255));
  EXPECT_EQ(reader.text("stage"), "drafter");
  EXPECT_THAT(reader.texts("names"), ElementsAre("loss", "", "acc\xff"));
  EXPECT_EQ(reader.find("nothing"), nullptr);
}

TEST(ItemFields, KeepEmptyListsAndTheBitsOfNan) {
  ItemWriter writer{"thing"};
  writer.add("numbers", std::vector<std::int64_t>{});
  writer.add_texts("names", {});
  const auto odd_nan = std::bit_cast<double>(0x7ff8'0000'0000'1234U);
  writer.set_real("lr", odd_nan);
  const std::string bytes = writer.take();
  const ItemReader reader{bytes, "thing"};
  EXPECT_THAT(reader.numbers("numbers"), IsEmpty());
  EXPECT_THAT(reader.texts("names"), IsEmpty());
  EXPECT_EQ(std::bit_cast<std::uint64_t>(reader.real("lr")), std::bit_cast<std::uint64_t>(odd_nan));
}

TEST(ItemFields, AreLaidOutAsASafetensorsFile) {
  const std::string bytes = an_item();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0U);
  const Json header = Json::parse(bytes.substr(sizeof length, length));
  EXPECT_EQ(header.at("__metadata__"), (Json{{"item", "thing"}, {"step", "-7"}}));
  EXPECT_EQ(header.at("numbers"), (Json{{"dtype", "I64"}, {"shape", {2}}, {"data_offsets", {8, 24}}}));
  EXPECT_EQ(header.at("lr").at("shape"), Json::array());
}

TEST(ItemFields, RefuseWhatTheyAreNot) {
  const std::string bytes = an_item();
  const auto refuses = [&](auto read, const std::string& text) {
    EXPECT_THAT([&] { read(ItemReader{bytes, "thing"}); },
                ThrowsMessage<UserError>(AllOf(HasSubstr("recorded thing"), HasSubstr(text))));
  };
  EXPECT_THAT([&] { (ItemReader{bytes, "other"}); }, ThrowsMessage<UserError>("recorded other: it is a 'thing'"));
  refuses([](const ItemReader& reader) { (void)reader.number("steps"); }, "'steps' is missing");
  refuses([](const ItemReader& reader) { (void)reader.tensor("steps"); }, "'steps' is missing");
  refuses([](const ItemReader& reader) { (void)reader.number("item"); }, "'item' is no whole number");
  refuses([](const ItemReader& reader) { (void)reader.numbers("ids"); }, "'ids' is I32 of 1 dimensions");
  refuses([](const ItemReader& reader) { (void)reader.real("stage"); }, "'stage' is no number");
}

TEST(ItemFields, RefuseATensorThatDoesNotFitItsShape) {
  ItemWriter writer{"thing"};
  const std::string bytes(6, '\0');
  const std::span data = std::as_bytes(std::span{bytes.data(), bytes.size()});
  EXPECT_THROW(writer.add_tensor("a", "F32", {2}, data), InternalError);
  EXPECT_THROW(writer.add_tensor("a", "F3", {6}, data), InternalError);
  writer.add_tensor("a", "BF16", {1, 3}, data);
  EXPECT_THROW(writer.add_tensor("a", "BF16", {1, 3}, data), InternalError);
}

void read_all(const std::string& bytes) {
  const ItemReader reader{bytes, "thing"};
  (void)reader.number("step");
  (void)reader.real("lr");
  (void)reader.numbers("numbers");
  (void)reader.short_numbers("ids");
  (void)reader.bytes("mask");
  (void)reader.text("stage");
  (void)reader.texts("names");
}

RC_GTEST_PROP(ItemFields, AreReadOrRefusedWhateverChanges, ()) {
  std::string bytes = an_item();
  const auto changes = *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, bytes.size()), rc::gen::arbitrary<char>()));
  for (const auto& [at, byte] : changes) {
    bytes[at] = byte;
  }
  bytes.resize(*rc::gen::oneOf(rc::gen::just(bytes.size()), rc::gen::inRange<std::size_t>(0, bytes.size())));
  try {
    read_all(bytes);
  } catch (const UserError& error) {
    RC_ASSERT(*error.what() != '\0');
  }
}

}  // namespace
}  // namespace dflash
