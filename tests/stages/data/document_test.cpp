// SPDX-License-Identifier: Apache-2.0
#include "stages/data/document.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/stages/any_documents.h"

namespace dflash {
namespace {

RC_GTEST_PROP(DocumentBytes, ComeBackOfAnyDocument, ()) {
  const Document document = any_document();
  const Document read = comes_back(document);
  RC_ASSERT(read.row_id == document.row_id);
  RC_ASSERT(read.epoch == document.epoch);
  RC_ASSERT(read.ids == document.ids);
  RC_ASSERT(read.loss_mask == document.loss_mask);
  RC_ASSERT(read.tag == document.tag);
  RC_ASSERT(read.conversation.size() == document.conversation.size());
  for (std::size_t i = 0; i < read.conversation.size(); ++i) {
    RC_ASSERT(read.conversation[i].role == document.conversation[i].role);
    RC_ASSERT(read.conversation[i].content == document.conversation[i].content);
    RC_ASSERT(read.conversation[i].loss == document.conversation[i].loss);
    RC_ASSERT(read.conversation[i].reasoning == document.conversation[i].reasoning);
    RC_ASSERT(read.conversation[i].tool_calls.size() == document.conversation[i].tool_calls.size());
  }
}

RC_GTEST_PROP(DocumentBytes, AreReadOrRefusedWhateverChanges, ()) {
  is_read_or_refused<Document>(ItemType<Document>::serialize(any_document()));
}

}  // namespace
}  // namespace dflash
