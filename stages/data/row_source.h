// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stages/data/chat_document.h"
#include "stages/data/check_rows.h"
#include "stages/data/document.h"
#include "stages/data/epoch_source.h"
#include "stages/data/rejected_rows.h"
#include "stages/data/text_codec.h"
#include "stages/data/text_rows.h"

namespace dflash {

/// A source of documents whose rows stand in a text file. On opening it looks at every row, refuses data that cannot
/// train (see check_rows; of a long file by its first rows), and says in the report's section "data" what it rejected.
/// Counts `rows_rejected` and `rows_repeated`.
class RowSource : public EpochSource {
 public:
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

 protected:
  explicit RowSource(RowUnit unit) : EpochSource{"text file, plain or .xz"}, unit_{unit} {}

  /// Says why a row cannot be used, or nothing. Asked of every row on opening, so it should be quick. Throws UserError
  /// where no row of its kind can be.
  [[nodiscard]] virtual std::optional<std::string> problem_of(const std::string& row, const TextCodec& codec) const = 0;
  /// What a row without a problem asks: `distinct` goes by it.
  [[nodiscard]] virtual std::string question_of(const std::string& row) const = 0;
  /// Makes the document of a row without a problem; row id and epoch are set by the caller.
  [[nodiscard]] virtual Document document_of(const std::string& row, const TextCodec& codec) const = 0;
  [[nodiscard]] Document document_at(std::int64_t number) final;

 private:
  /// The numbers of the rows without a problem; the others go to `rejected`.
  [[nodiscard]] std::vector<std::int64_t> usable_rows(TextRows& rows, RejectedRows& rejected,
                                                      const TextCodec& codec) const;
  /// Drops those that ask what an earlier one asks; returns how many.
  std::int64_t drop_repeated(std::vector<std::int64_t>& usable, TextRows& rows) const;
  /// What of the file is not used, for the end of the run; empty: nothing.
  [[nodiscard]] std::string note_of_rows() const;
  void check_first_rows(const TextCodec& codec) const;
  void check_sample();
  [[nodiscard]] Document document_in(TextRows& rows, std::int64_t row, const TextCodec& codec) const;

  RowUnit unit_;
  const TextCodec* codec_ = nullptr;
  std::unique_ptr<TextRows> rows_;
  std::vector<std::int64_t> usable_;  // the numbers of rows without a problem
  RejectedRows rejected_;
  std::int64_t repeated_ = 0;
  bool counted_ = false;
};

}  // namespace dflash
