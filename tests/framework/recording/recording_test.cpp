// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/recording.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class RecordingTest : public testing::Test {
 protected:
  /// Three items, one of them empty, with a hole in the numbers.
  void record(bool whole = true) const {
    RecordingWriter writer{file_, {.port = "a.out", .type = "number"}};
    writer.add(0, 1, "one");
    writer.add(2, 2, "");
    writer.add(3, 4, std::string{"\0\n", 2});
    if (whole) {
      writer.end(RecordingEnd::kStream);
    }
  }
  void cut(std::size_t bytes) const {
    const std::string text = read_text(file_);
    write_durably(file_, std::string_view{text}.substr(0, text.size() - bytes));
  }
  void change(std::size_t from_end, char byte) const {
    std::string text = read_text(file_);
    text[text.size() - from_end] = byte;
    write_durably(file_, text);
  }
  void expect_refused(const std::string& text) const {
    EXPECT_THAT([&] { Recording{file_}; }, ThrowsMessage<UserError>(AllOf(HasSubstr(file_.string()), HasSubstr(text))));
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "a.out.items";
};

TEST_F(RecordingTest, HasAllThatWasRecorded) {
  record();
  const Recording recording{file_};
  EXPECT_EQ(recording.port().port, "a.out");
  EXPECT_EQ(recording.port().type, "number");
  ASSERT_EQ(recording.size(), 3U);
  EXPECT_EQ(recording.seq(1), 2);
  EXPECT_EQ(recording.read(0).bytes, "one");
  EXPECT_EQ(recording.read(1).bytes, "");
  EXPECT_EQ(recording.read(2).bytes, (std::string{"\0\n", 2}));
  EXPECT_EQ(recording.read(2).firing, 4);
  EXPECT_TRUE(recording.is_whole());
  EXPECT_EQ(recording.extent(), "3 items");
}

TEST_F(RecordingTest, WithoutAnEndIsReadAsFarAsItGoes) {
  record(false);
  const Recording recording{file_};
  EXPECT_FALSE(recording.is_whole());
  EXPECT_EQ(recording.extent(), "incomplete: 3 items and no end");
  EXPECT_EQ(recording.read(0).bytes, "one");
}

TEST_F(RecordingTest, SaysWithinWhichItemItEnded) {
  record(false);
  cut(1);
  EXPECT_EQ(Recording{file_}.extent(), "incomplete: 2 items, ended within item 3");
  cut(40);
  EXPECT_EQ(Recording{file_}.extent(), "incomplete: 2 items, ended within item 3");
  cut(1 + 39);
  EXPECT_EQ(Recording{file_}.extent(), "incomplete: 1 item, ended within item 2");
}

TEST_F(RecordingTest, AnotherByteInAnItemIsFoundWhenItIsRead) {
  record(false);
  change(1, 'x');
  const Recording recording{file_};
  EXPECT_EQ(recording.read(1).bytes, "");
  EXPECT_THAT([&] { (void)recording.read(2); },
              ThrowsMessage<UserError>(HasSubstr("item 3 (of 3) is not what was recorded")));
}

TEST_F(RecordingTest, RefusesWhatNoRunWrites) {
  expect_refused("cannot open");
  write_durably(file_, "");
  expect_refused("is no recording");
  write_durably(file_, "a line\n");
  expect_refused("is no recording");
  write_durably(file_, "{\"schema\":\"dflash-recording/2\"}\n");
  expect_refused("found the schema \"dflash-recording/2\", allowed: \"dflash-recording/1\"");
  write_durably(file_, "{\"schema\":\"dflash-recording/1\",\"port\":7,\"type\":\"number\"}\n");
  expect_refused("is damaged");
  record();
  change(kHeadBytes - 8, '\x09');
  expect_refused("its end counts 9 items, but there are 3");
  record();
  append_text(file_, "more");
  expect_refused("4 bytes stand behind its end");
  record(false);
  append_text(file_, std::string(kHeadBytes, 'x'));
  expect_refused("behind 3 items stands neither an item nor the end");
}

TEST_F(RecordingTest, RefusesNumbersThatDoNotAscend) {
  RecordingWriter writer{file_, {.port = "a.out", .type = "number"}};
  writer.add(4, 1, "");
  writer.add(4, 2, "");
  expect_refused("item 2 has the sequence number 4, behind 4");
}

RC_GTEST_FIXTURE_PROP(RecordingTest, ReadsOrRefusesAnyChange, ()) {
  record(*rc::gen::arbitrary<bool>());
  std::string text = read_text(file_);
  const auto changes = *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, text.size()), rc::gen::arbitrary<char>()));
  for (const auto& [at, byte] : changes) {
    text[at] = byte;
  }
  text.resize(*rc::gen::oneOf(rc::gen::just(text.size()), rc::gen::inRange<std::size_t>(0, text.size())));
  write_durably(file_, text);
  try {
    const Recording recording{file_};
    for (std::size_t i = 0; i < recording.size(); ++i) {
      (void)recording.read(i);
    }
  } catch (const UserError& error) {
    RC_ASSERT(std::string{error.what()}.find(file_.string()) != std::string::npos);
  }
}

}  // namespace
}  // namespace dflash
