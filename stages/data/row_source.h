// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/stage.h"
#include "stages/data/chat_document.h"
#include "stages/data/check_rows.h"
#include "stages/data/document.h"
#include "stages/data/epoch_cursor.h"
#include "stages/data/rejected_rows.h"
#include "stages/data/text_codec.h"
#include "stages/data/text_rows.h"

namespace dflash {

/// A source of documents whose rows stand in a text file. On opening it looks at every row, refuses data that cannot
/// train (see check_rows; of a long file by its first rows), and says in the report's section "data" what it rejected.
/// Fails on a row that check_row refuses when it comes. Counts `rows_rejected`, `rows_repeated` and
/// `rows_without_anchor`.
class RowSource : public Source<Document> {
 public:
  Param<std::string> path{*this, "path", {.required = true, .help = "text file, plain or .xz"}};
  Param<std::int64_t> max_length{
      *this,
      "max_length",
      {.value = 2048, .min = 2, .unit = "tokens", .help = "longer documents are cut off on the right"}};
  Param<std::int64_t> epochs{*this, "epochs", {.value = 0, .min = 0, .help = "times over the data; 0: endless"}};
  Param<bool> shuffle{*this, "shuffle", {.value = true, .help = "a new order each epoch, drawn from the run's seed"}};
  Param<bool> distinct{
      *this, "distinct", {.value = false, .help = "of rows that ask the same, only the first is used"}};
  Param<double> max_bad_fraction{
      *this,
      "max_bad_fraction",
      {.value = 0.01, .min = 0.0, .max = 1.0, .help = "more rejected rows than this end the run"}};

  /// Looks at the first rows only.
  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  std::optional<Document> next(Firing& firing) override;
  void close() noexcept override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 protected:
  explicit RowSource(RowUnit unit) : Source{"documents", "one tokenised row each, with its loss mask"}, unit_{unit} {}

  /// Says why a row cannot be used, or nothing. Asked of every row on opening, so it should be quick. Throws UserError
  /// where no row of its kind can be.
  [[nodiscard]] virtual std::optional<std::string> problem_of(const std::string& row, const TextCodec& codec) const = 0;
  /// What a row without a problem asks: `distinct` goes by it.
  [[nodiscard]] virtual std::string question_of(const std::string& row) const = 0;
  /// Whether a row without an anchor is of no use.
  [[nodiscard]] virtual bool needs_anchors() const { return true; }
  /// Makes the document of a row without a problem; row id and epoch are set by the caller.
  [[nodiscard]] virtual Document document_of(const std::string& row, const TextCodec& codec) const = 0;

 private:
  /// The numbers of the rows without a problem; the others go to `rejected`.
  [[nodiscard]] std::vector<std::int64_t> usable_rows(TextRows& rows, RejectedRows& rejected,
                                                      const TextCodec& codec) const;
  /// Drops those that ask what an earlier one asks; returns how many.
  std::int64_t drop_repeated(std::vector<std::int64_t>& usable, TextRows& rows) const;
  void check_first_rows(const TextCodec& codec) const;
  void check_sample();
  [[nodiscard]] Document document_at(std::int64_t row, TextRows& rows, const TextCodec& codec) const;

  RowUnit unit_;
  const TextCodec* codec_ = nullptr;
  std::unique_ptr<TextRows> rows_;
  std::vector<std::int64_t> usable_;  // the numbers of rows without a problem
  RejectedRows rejected_;
  std::int64_t repeated_ = 0;
  std::optional<EpochCursor> cursor_;
  bool counted_ = false;
};

}  // namespace dflash
