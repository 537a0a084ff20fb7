// SPDX-License-Identifier: Apache-2.0
#include "stages/batch/token_packer.h"

#include <numeric>

#include <gmock/gmock.h>

#include "framework/core/diagnostics.h"
#include "framework/core/error.h"
#include "framework/core/stage_check.h"
#include "framework/core/stage_runner.h"

namespace dflash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

Document document(std::int64_t row_id, std::int64_t length) {
  Document made{.row_id = row_id, .epoch = 1};
  made.ids.resize(length);
  std::iota(made.ids.begin(), made.ids.end(), static_cast<std::int32_t>(100 * row_id));
  made.loss_mask.assign(length, 1);
  made.loss_mask[0] = 0;
  return made;
}

std::vector<std::int64_t> values(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<std::int64_t>(), tensor.const_data_ptr<std::int64_t>() + tensor.numel()};
}

std::vector<std::int64_t> row_ids(const TokenPack& pack) {
  std::vector<std::int64_t> ids;
  for (const PackedDocument& packed : pack.documents) {
    ids.push_back(packed.row_id);
  }
  return ids;
}

TEST(TokenPacker, LaysDocumentsEndToEndUntilTheNextDoesNotFit) {
  TokenPacker packer;
  packer.pack_length.set(8);
  StageRunner runner{packer};
  for (const std::int64_t row : {1, 2, 3}) {
    runner.feed(packer.documents, document(row, 4));
  }
  runner.run_until_end(3);
  const std::vector<TokenPack> packs = runner.outputs(packer.packs);
  ASSERT_THAT(packs, SizeIs(1));
  EXPECT_THAT(row_ids(packs[0]), ElementsAre(1, 2));
  EXPECT_THAT(values(packs[0].ids), ElementsAre(100, 101, 102, 103, 200, 201, 202, 203));
  EXPECT_THAT(values(packs[0].positions), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  EXPECT_THAT(values(packs[0].document_ids), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(packs[0].host_loss_mask, ElementsAre(0, 1, 1, 1, 0, 1, 1, 1));
  EXPECT_EQ(packs[0].tokens, 8);
}

TEST(TokenPacker, EmitsWhatIsHeldWhenTheDocumentsEnd) {
  TokenPacker packer;
  StageRunner runner{packer};
  runner.feed(packer.documents, document(1, 5));
  runner.fire();
  EXPECT_THAT(runner.outputs(packer.packs), SizeIs(0));
  runner.drain();
  EXPECT_THAT(runner.outputs(packer.packs), SizeIs(1));
}

TEST(TokenPacker, PadsAtTheTailOnly) {
  TokenPacker packer;
  packer.pack_length.set(8);
  packer.pad.set(true);
  StageRunner runner{packer};
  runner.feed(packer.documents, document(1, 5));
  runner.fire();
  runner.drain();
  const TokenPack pack = runner.outputs(packer.packs).at(0);
  EXPECT_EQ(pack.rows(), 8);
  EXPECT_EQ(pack.tokens, 5);
  EXPECT_THAT(values(pack.document_ids), ElementsAre(0, 0, 0, 0, 0, -1, -1, -1));
  EXPECT_EQ(runner.counters().at("padding"), 3);
}

TEST(TokenPacker, PadsToTheNextBucket) {
  TokenPacker packer;
  packer.mode.set(TokenPacker::Mode::kBuckets);
  packer.buckets.set({4, 6, 16});
  StageRunner runner{packer};
  for (const std::int64_t length : {3, 6, 7}) {
    runner.feed(packer.documents, document(length, length));
  }
  runner.run_until_end(3);
  const std::vector<TokenPack> packs = runner.outputs(packer.packs);
  ASSERT_THAT(packs, SizeIs(3));
  EXPECT_EQ(packs[0].rows(), 4);
  EXPECT_EQ(packs[1].rows(), 6);
  EXPECT_EQ(packs[2].rows(), 16);
}

TEST(TokenPacker, GivesTheSameDocumentIdsInEveryWay) {
  for (const auto method :
       {DocumentIdsMethod::kHost, DocumentIdsMethod::kSearchsorted, DocumentIdsMethod::kRepeatInterleave}) {
    const TokenPack pack = make_token_pack({document(1, 2), document(2, 3)}, 7, method, "cpu");
    EXPECT_THAT(values(pack.document_ids), ElementsAre(0, 0, 1, 1, 1, -1, -1));
  }
}

TEST(TokenPacker, RefusesARowLongerThanAPack) {
  TokenPacker packer;
  packer.pack_length.set(8);
  StageRunner runner{packer};
  runner.feed(packer.documents, document(7, 9));
  EXPECT_THAT([&] { runner.fire(); }, ThrowsMessage<UserError>(HasSubstr("row 7 has 9 tokens, more than a pack of 8")));
}

struct LongRows final : Source<Document> {
  LongRows() : Source{"documents", "rows"} {}
  static StageInfo info() { return {.type = "long_rows", .summary = "makes rows"}; }
  Param<std::int64_t> max_length{*this, "max_length", {.value = 100}};
  std::optional<Document> next(Firing&) override { return std::nullopt; }
};

TEST(TokenPacker, RefusesALossMaskOfAnotherLength) {
  TokenPacker packer;
  StageRunner runner{packer};
  Document cut = document(3, 5);
  cut.loss_mask.pop_back();
  runner.feed(packer.documents, std::move(cut));
  EXPECT_THAT([&] { runner.fire(); }, ThrowsMessage<UserError>(HasSubstr("row 3 has 5 tokens, and a loss mask of 4")));
}

TEST(TokenPacker, RefusesAPackThatItsSourcesRowsDoNotFit) {
  Graph graph;
  auto& rows = graph.add<LongRows>("data");
  auto& packer = graph.add<TokenPacker>("batch");
  graph.connect(rows.out, packer.documents);
  const auto said = [&] {
    Diagnostics diagnostics;
    GraphMistakes mistakes{diagnostics};
    check_stages(graph, [](const Graph::Vertex& vertex) { return StageEnv{.name = vertex.name}; }, mistakes);
    return diagnostics.mistakes();
  };
  EXPECT_THAT(said(), SizeIs(0));
  packer.pack_length.set(99);
  EXPECT_THAT(said(), ElementsAre(HasSubstr("/stages/batch/params/pack_length: found 99, allowed: at least 100, the "
                                            "max_length of stage 'data'")));
  packer.mode.set(TokenPacker::Mode::kBuckets);
  packer.buckets.set({16, 64});
  EXPECT_THAT(said(), ElementsAre(HasSubstr("/stages/batch/params/buckets: found [16,64], allowed: at least 100")));
}

TEST(TokenPacker, RefusesBucketsThatDoNotAscend) {
  TokenPacker packer;
  packer.buckets.set({8, 4});
  EXPECT_THAT([&] { StageRunner runner{packer}; },
              ThrowsMessage<UserError>(HasSubstr("allowed: numbers from 1 on that ascend")));
}

TEST(TokenPacker, GoesOnWithTheSameDocumentsAfterALoad) {
  TokenPacker first;
  first.pack_length.set(8);
  StageRunner runner{first};
  runner.feed(first.documents, document(1, 3));
  runner.fire();
  TokenPacker second;
  second.pack_length.set(8);
  StageRunner resumed{second};
  resumed.load(runner.save());
  resumed.feed(second.documents, document(2, 6));
  resumed.fire();
  const TokenPack pack = resumed.outputs(second.packs).at(0);
  EXPECT_THAT(row_ids(pack), ElementsAre(1));
  EXPECT_THAT(values(pack.ids), ElementsAre(100, 101, 102));
  EXPECT_EQ(pack.documents[0].epoch, 1);
}

}  // namespace
}  // namespace dflash
