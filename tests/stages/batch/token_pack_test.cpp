// SPDX-License-Identifier: Apache-2.0
#include "stages/batch/token_pack.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/stages/any_tensors.h"
#include "tests/stages/tiny_models.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(TokenPackBytes, KeepEveryField) {
  TokenPack pack = tiny_pack({3, 2}, 7);
  pack.documents[1].tag = "maths";
  const TokenPack read = ItemType<TokenPack>::deserialize(ItemType<TokenPack>::serialize(pack), "cpu");
  EXPECT_EQ(read.host_ids, pack.host_ids);
  EXPECT_EQ(read.host_loss_mask, pack.host_loss_mask);
  EXPECT_EQ(read.tokens, 5);
  EXPECT_EQ(read.documents[1].row_id, 8);
  EXPECT_EQ(read.documents[1].begin, 3);
  EXPECT_EQ(read.documents[1].end, 5);
  EXPECT_EQ(read.documents[1].tag, "maths");
  EXPECT_TRUE(at::equal(read.ids, pack.ids));
  EXPECT_TRUE(at::equal(read.positions, pack.positions));
  EXPECT_TRUE(at::equal(read.document_ids, pack.document_ids));
}

TEST(TokenPackBytes, RefuseADocumentOutsideThePack) {
  TokenPack pack = tiny_pack({3, 2});
  pack.documents[1].end = 6;
  const std::string bytes = ItemType<TokenPack>::serialize(pack);
  EXPECT_THAT([&] { (void)ItemType<TokenPack>::deserialize(bytes, "cpu"); },
              ThrowsMessage<UserError>(HasSubstr("recorded token_pack: a document lies outside the pack")));
}

RC_GTEST_PROP(TokenPackBytes, ComeBackOfAnyPack, ()) { (void)comes_back(any_pack()); }

RC_GTEST_PROP(TokenPackBytes, AreReadOrRefusedWhateverChanges, ()) {
  is_read_or_refused<TokenPack>(ItemType<TokenPack>::serialize(tiny_pack({2, 1})));
}

}  // namespace
}  // namespace dflash
