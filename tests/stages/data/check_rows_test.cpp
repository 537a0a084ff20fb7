// SPDX-License-Identifier: Apache-2.0
#include "stages/data/check_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class CheckRows : public testing::Test {
 protected:
  [[nodiscard]] Document row(std::vector<std::uint8_t> mask) const {
    Document document{.ids = codec.tokenizer.encode("abcd"), .loss_mask = std::move(mask)};
    document.ids.resize(document.loss_mask.size());
    return document;
  }
  void expect_refused(const std::vector<Document>& rows, const testing::Matcher<std::string>& said) {
    EXPECT_THAT([&] { check_rows(rows, codec, "data.jsonl"); },
                ThrowsMessage<UserError>(AllOf(HasSubstr("data.jsonl"), said)));
  }
  TextCodec codec = load_text_codec(DFLASH_SOURCE_DIR "/configs/tiny/target");
};

TEST_F(CheckRows, AcceptsOneRowWithAnAnchor) {
  EXPECT_NO_THROW(check_rows({{row({0, 0}), row({1, 1})}}, codec, "data"));
}

TEST_F(CheckRows, RefusesDataWithoutSupervisedTokens) {
  expect_refused({row({0, 0}), row({0, 0})}, AllOf(HasSubstr("0 of 2 rows have a supervised token"), HasSubstr("ab")));
}

TEST_F(CheckRows, RefusesDataWithoutAnAnchorAndMarksWhatIsSupervised) {
  const Document lone = row({0, 1});
  const std::string first{codec.tokenizer.bytes_of(lone.ids[0])};
  const std::string second{codec.tokenizer.bytes_of(lone.ids[1])};
  expect_refused({lone}, HasSubstr(first + "»" + second + "«"));
}

TEST_F(CheckRows, RefusesIdsBeyondTheVocabulary) {
  codec.vocab_rows = 5;
  Document document = row({1, 1});
  document.ids[0] = 1023;
  expect_refused({document}, AllOf(HasSubstr("id 1023"), HasSubstr("embedding 5 rows")));
}

TEST_F(CheckRows, E09RefusesAMaskTokenThatARowContains) {
  const std::vector<Document> rows{row({1, 1})};
  EXPECT_NO_THROW(check_rows(rows, codec, "data"));
  codec.mask_id = rows[0].ids[1];
  expect_refused(rows, AllOf(HasSubstr("row 0 contains the mask token"), HasSubstr("its text: »")));
  codec.mask_id = kNoToken;
  EXPECT_NO_THROW(check_rows(rows, codec, "data"));
}

TEST_F(CheckRows, DoesNotAskTheBeginOfTheDataForAnAnchor) {
  EXPECT_NO_THROW(check_rows({{row({0, 0})}}, codec, "data", RowSample::kFirst));
}

TEST_F(CheckRows, ShowsLineBreaksAsEscapes) {
  Document document{.ids = codec.tokenizer.encode("a\nb"), .loss_mask = {}};
  document.loss_mask.assign(document.ids.size(), 0);
  EXPECT_EQ(marked_text(document, codec.tokenizer), "a\\nb");
}

TEST_F(CheckRows, RefusesNoRows) { expect_refused({}, HasSubstr("there are no rows")); }

}  // namespace
}  // namespace dflash
