// SPDX-License-Identifier: Apache-2.0
#include "stages/data/synthetic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "framework/core/counter_random.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"
#include "stages/data/text_codec.h"

namespace dflash {

namespace {

// What a draw is for, so that no two draws of a row share their key.
constexpr std::uint64_t kLengthDraw = 0;
constexpr std::uint64_t kAngleDraw = 1;
constexpr std::uint64_t kIdDraw = 2;

}  // namespace

void Synthetic::check(StageCheck& check) const {
  if (min_length() > max_length()) {
    check.add(min_length, fmt::format("found {}, allowed: at most max_length, which is {}{}", min_length(),
                                      max_length(), check.place_clause(max_length)));
  } else if (length() != Length::kUniform && (mean_length() < min_length() || mean_length() > max_length())) {
    check.add(mean_length, fmt::format("found {}, allowed: from min_length {} to max_length {}", mean_length(),
                                       min_length(), max_length()));
  }
  const auto* codec = check.env().resources->find<TextCodec>();
  if (!vocab_size()) {
    (void)check.needs<TextCodec>("models.target");
  } else if (codec != nullptr && *vocab_size() > codec->vocab_rows) {
    check.add(vocab_size, fmt::format("found {}, allowed: at most the rows of the target's embedding, {}",
                                      *vocab_size(), codec->vocab_rows));
  }
  if (codec != nullptr && codec->max_positions > 0 && max_length() > codec->max_positions) {
    check.add(max_length, fmt::format("found {}, allowed: at most the target's max_position_embeddings, {}",
                                      max_length(), codec->max_positions));
  }
}

void Synthetic::open(const StageEnv& env) {
  seed_ = env.seed;
  vocab_ = vocab_size() ? *vocab_size() : env.resources->get<TextCodec>().vocab_rows;
}

std::int64_t Synthetic::length_of(std::uint64_t row) const {
  const double drawn = counter_uniform(seed_, {row, kLengthDraw});
  switch (length()) {
    case Length::kFixed:
      return mean_length();
    case Length::kUniform:
      return min_length() + static_cast<std::int64_t>(drawn * static_cast<double>(max_length() - min_length() + 1));
    case Length::kNormal:
      break;
  }
  const double angle = 2 * std::numbers::pi * counter_uniform(seed_, {row, kAngleDraw});
  const double normal = std::sqrt(-2 * std::log(1 - drawn)) * std::cos(angle);
  const double wanted = static_cast<double>(mean_length()) + deviation() * normal;
  return std::clamp(static_cast<std::int64_t>(std::llround(wanted)), min_length(), max_length());
}

std::optional<Document> Synthetic::next(Firing&) {
  if (rows() > 0 && row_ >= rows()) {
    return std::nullopt;
  }
  const auto row = static_cast<std::uint64_t>(row_);
  const auto count = static_cast<std::size_t>(length_of(row));
  const auto unsupervised = static_cast<std::size_t>(std::floor(unsupervised_fraction() * static_cast<double>(count)));
  Document document{.row_id = row_++};
  document.ids.resize(count);
  document.loss_mask.assign(count, 1);
  std::fill_n(document.loss_mask.begin(), unsupervised, std::uint8_t{0});
  for (std::size_t i = 0; i < count; ++i) {
    document.ids[i] =
        static_cast<std::int32_t>(counter_random(seed_, {row, kIdDraw, i}) % static_cast<std::uint64_t>(vocab_));
  }
  return document;
}

void Synthetic::save(Snapshot& snapshot) const { snapshot.values["row"] = row_; }

void Synthetic::load(const Snapshot& snapshot) { row_ = snapshot.values.at("row").get<std::int64_t>(); }

}  // namespace dflash
