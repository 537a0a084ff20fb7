// SPDX-License-Identifier: Apache-2.0
#include "stages/data/text_rows.h"

#include <utility>

#include "framework/core/error.h"
#include "stages/data/text_file.h"

namespace dflash {

/// Finds the rows of a text that comes in pieces.
class TextRows::Indexer {
 public:
  Indexer(RowUnit unit, std::vector<Row>& rows) : unit_{unit}, rows_{rows} {}

  void take(std::string_view piece) {
    while (!piece.empty()) {
      const std::size_t newline = piece.find('\n');
      const std::string_view part = piece.substr(0, newline);
      const std::size_t last = part.find_last_not_of(" \t\r");
      if (last != std::string_view::npos) {
        blank_ = false;
        text_end_ = at_ + last + 1;
      }
      at_ += part.size();
      if (newline == std::string_view::npos) {
        return;
      }
      end_line();
      ++at_;
      line_begin_ = at_;
      piece.remove_prefix(newline + 1);
    }
  }

  void finish() {
    end_line();
    close_row();
  }

 private:
  void end_line() {
    if (blank_) {
      close_row();
    } else if (!open_) {
      row_ = {.offset = line_begin_, .line = line_};
      open_ = true;
    }
    if (open_) {
      row_.length = text_end_ - row_.offset;
    }
    if (unit_ == RowUnit::kLine) {
      close_row();
    }
    blank_ = true;
    ++line_;
  }
  void close_row() {
    if (std::exchange(open_, false)) {
      rows_.push_back(row_);
    }
  }

  RowUnit unit_;
  std::vector<Row>& rows_;
  Row row_;
  bool open_ = false;
  bool blank_ = true;
  std::uint64_t at_ = 0;
  std::uint64_t line_begin_ = 0;
  std::uint64_t text_end_ = 0;  // after the last character that is no white space
  std::uint64_t line_ = 1;
};

TextRows::TextRows(std::filesystem::path path, RowUnit unit, std::int64_t most_rows)
    : path_{std::move(path)}, packed_{is_xz_file(path_)} {
  Indexer indexer{unit, rows_};
  read_text_chunks(path_, [&](std::string_view piece) {
    indexer.take(piece);
    if (packed_) {
      content_ += piece;
    }
    return size() <= most_rows;
  });
  if (size() <= most_rows) {
    indexer.finish();
  }
  if (size() > most_rows) {
    rows_.resize(static_cast<std::size_t>(most_rows));
    complete_ = false;
  }
  if (!packed_) {
    file_.open(path_, std::ios::binary);
  }
}

std::string TextRows::row(std::int64_t index) {
  const Row& row = rows_[static_cast<std::size_t>(index)];
  if (packed_) {
    return content_.substr(row.offset, row.length);
  }
  std::string text(row.length, '\0');
  file_.seekg(static_cast<std::streamoff>(row.offset));
  file_.read(text.data(), static_cast<std::streamsize>(text.size()));
  DFLASH_USER_CHECK(static_cast<std::uint64_t>(file_.gcount()) == row.length && file_.good(),
                    "{}: cannot be read; has the file changed during the run?", place(index));
  return text;
}

std::string TextRows::place(std::int64_t index) const {
  return fmt::format("{}:{}", path_.string(), rows_[static_cast<std::size_t>(index)].line);
}

}  // namespace dflash
