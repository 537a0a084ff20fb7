// SPDX-License-Identifier: Apache-2.0
#include "stages/models/document_ids.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/error.h"
#include "tests/stages/models/golden_problem.h"

namespace dflash {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

class DocumentIds : public ::testing::TestWithParam<DocumentIdsMethod> {};

TEST_P(DocumentIds, RepeatEachDocumentAndMarkThePadding) {
  EXPECT_THAT(numbers(document_ids({3, 1, 2}, 8, GetParam(), at::kCPU)), ElementsAre(0, 0, 0, 1, 2, 2, -1, -1));
}

TEST_P(DocumentIds, FillAPackWithoutPadding) {
  EXPECT_THAT(numbers(document_ids({2, 2}, 4, GetParam(), at::kCPU)), ElementsAre(0, 0, 1, 1));
}

TEST_P(DocumentIds, MarkAPackWithoutDocumentsAsPadding) {
  EXPECT_THAT(numbers(document_ids({}, 3, GetParam(), at::kCPU)), Each(-1));
}

TEST_P(DocumentIds, RefuseDocumentsLongerThanThePack) {
  EXPECT_THROW(document_ids({3, 3}, 5, GetParam(), at::kCPU), InternalError);
}

INSTANTIATE_TEST_SUITE_P(AllMethods, DocumentIds,
                         ::testing::Values(DocumentIdsMethod::kRepeatInterleave, DocumentIdsMethod::kSearchsorted,
                                           DocumentIdsMethod::kHost));

}  // namespace
}  // namespace dflash
