// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "framework/core/stage.h"
#include "stages/data/document.h"
#include "stages/data/epoch_cursor.h"
#include "stages/data/text_codec.h"

namespace dflash {

/// A source of documents that have numbers: walks over them epoch by epoch, and knows where it stands. Fails on a
/// document that check_row refuses when it comes. Counts `rows_without_anchor`, which it leaves out.
class EpochSource : public Source<Document> {
 public:
  Param<std::string> path;
  Param<std::int64_t> max_length{
      *this,
      "max_length",
      {.value = 2048, .min = 2, .unit = "tokens", .help = "longer documents are cut off on the right"}};
  Param<std::int64_t> epochs{*this, "epochs", {.value = 0, .min = 0, .help = "times over the data; 0: endless"}};
  Param<bool> shuffle{*this, "shuffle", {.value = true, .help = "a new order each epoch, drawn from the run's seed"}};

  std::optional<Document> next(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 protected:
  explicit EpochSource(std::string_view path_help)
      : Source{"documents", "one tokenised row each, with its loss mask"},
        path{*this, "path", {.required = true, .help = path_help}} {}

  /// From `open`: so many documents, numbered from 0, of which one at least has an anchor where that is needed.
  void start(std::int64_t documents, const StageEnv& env);
  /// The document of a number; its epoch is set by the caller.
  [[nodiscard]] virtual Document document_at(std::int64_t number) = 0;
  /// Whether a document without an anchor is of no use.
  [[nodiscard]] virtual bool needs_anchors() const { return true; }

 private:
  const TextCodec* codec_ = nullptr;
  std::optional<EpochCursor> cursor_;
};

}  // namespace dflash
