// SPDX-License-Identifier: Apache-2.0
#include "framework/report/metric_series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

/// A figure may be null where it was not finite; whether it is one of the figures, other lines tell.
struct Sample {
  std::int64_t step = 0;
  double value = std::numeric_limits<double>::quiet_NaN();
};

class Series {
 public:
  void read(const Json& line) {
    const auto step = line.find("step");
    if (step == line.end() || !step->is_number_integer()) {
      return;
    }
    const bool of_evaluation = line.value("event", Json{}) == "evaluation";
    if (line.contains("event") && !of_evaluation) {
      return;
    }
    for (const auto& [key, value] : line.items()) {
      if (value.is_object()) {
        for (const auto& [inner, part] : value.items()) {
          add(fmt::format("{}.{}", key, inner), part, step->get<std::int64_t>(), of_evaluation);
        }
      } else if (key != "step") {
        add(key, value, step->get<std::int64_t>(), of_evaluation);
      }
    }
  }

  [[nodiscard]] std::vector<MetricSeries> reduced(std::size_t most) const {
    std::vector<MetricSeries> all;
    for (const auto& [key, samples] : samples_) {
      const bool has_number =
          std::any_of(samples.begin(), samples.end(), [](const Sample& sample) { return std::isfinite(sample.value); });
      if (has_number || key.first == "loss") {
        all.push_back({.name = key.first, .of_evaluation = key.second, .points = points_of(samples, most)});
      }
    }
    return all;
  }

 private:
  using Key = std::pair<std::string, bool>;

  void add(const std::string& name, const Json& value, std::int64_t step, bool of_evaluation) {
    if (!value.is_number() && !value.is_null()) {
      return;
    }
    const auto [place, is_new] = places_.try_emplace(Key{name, of_evaluation}, samples_.size());
    if (is_new) {
      samples_.emplace_back(place->first, std::vector<Sample>{});
    }
    Sample sample{.step = step};
    if (value.is_number()) {
      sample.value = value.get<double>();
    }
    samples_[place->second].second.push_back(sample);
  }

  static std::vector<MetricSeries::Point> points_of(const std::vector<Sample>& samples, std::size_t most) {
    const std::size_t size = std::max<std::size_t>((samples.size() + most - 1) / std::max<std::size_t>(most, 1), 1);
    std::vector<MetricSeries::Point> points;
    for (std::size_t begin = 0; begin < samples.size(); begin += size) {
      points.push_back(point_of(samples, begin, std::min(begin + size, samples.size())));
    }
    return points;
  }

  static MetricSeries::Point point_of(const std::vector<Sample>& samples, std::size_t begin, std::size_t end) {
    MetricSeries::Point point{.step = samples[end - 1].step};
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      if (std::isfinite(samples[i].value)) {
        sum += samples[i].value;
        point.least = std::fmin(point.least, samples[i].value);
        point.greatest = std::fmax(point.greatest, samples[i].value);
      } else {
        ++point.not_finite;
      }
    }
    const auto count = static_cast<std::int64_t>(end - begin) - point.not_finite;
    if (count > 0) {
      point.mean = sum / static_cast<double>(count);
    }
    return point;
  }

  std::vector<std::pair<Key, std::vector<Sample>>> samples_;
  std::map<Key, std::size_t> places_;
};

}  // namespace

std::vector<MetricSeries> metric_series(const std::vector<Json>& lines, std::size_t most) {
  Series series;
  for (const Json& line : lines) {
    if (line.is_object()) {
      series.read(line);
    }
  }
  return series.reduced(most);
}

}  // namespace dflash
