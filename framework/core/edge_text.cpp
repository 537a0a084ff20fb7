// SPDX-License-Identifier: Apache-2.0
#include "framework/core/edge_text.h"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "framework/core/graph_keys.h"

namespace dflash {
namespace {

constexpr const char* kAllowedEdge =
    R"("STAGE.OUTPUT -> STAGE.INPUT", or an object with the keys from, to, capacity, when_full, feedback and initial)";
constexpr const char* kAllowedItems = "integer, at least 1";
constexpr const char* kAllowedBytes = R"(bytes as an integer, at least 1, or a text as "512MiB" or "2GiB")";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<PortName> read_port(const JsonSpot& spot, std::string_view text, Diagnostics& diagnostics) {
  text = trimmed(text);
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) {
    diagnostics.add(spot.place(), spot.pointer(), found_text(Json(text), "STAGE.PORT on each end of an edge"));
    return std::nullopt;
  }
  return PortName{std::string{text.substr(0, dot)}, std::string{text.substr(dot + 1)}};
}

std::optional<std::int64_t> read_bytes(const JsonSpot& spot, Diagnostics& diagnostics) {
  if (!spot.value().is_string()) {
    return positive_integer(spot, kAllowedBytes, diagnostics);
  }
  const auto bytes = parse_byte_size(spot.value().get_ref<const std::string&>());
  if (!bytes) {
    diagnostics.add(spot.place(), spot.pointer(), found_text(spot.value(), kAllowedBytes));
  }
  return bytes;
}

Capacity read_capacity(const JsonSpot& spot, Diagnostics& diagnostics) {
  Capacity capacity;
  if (!spot.value().is_object()) {
    const auto allowed = fmt::format("{}, or an object with the keys items and bytes", kAllowedItems);
    capacity.items = positive_integer(spot, allowed, diagnostics).value_or(capacity.items);
    return capacity;
  }
  check_keys(spot, kCapacityKeys, diagnostics);
  if (const auto items = spot.find("items")) {
    capacity.items = positive_integer(*items, kAllowedItems, diagnostics).value_or(capacity.items);
  }
  if (const auto bytes = spot.find("bytes")) {
    capacity.bytes = read_bytes(*bytes, diagnostics);
  }
  return capacity;
}

EdgeRules read_rules(const JsonSpot& edge, Diagnostics& diagnostics) {
  const EdgeParams params;
  for (ParamBase* param : params.params()) {
    const auto spot = edge.find(param->name());
    const std::optional<std::string> wrong = spot ? param->assign(spot->value()) : std::nullopt;
    if (wrong) {
      diagnostics.add(spot->place(), spot->pointer(), *wrong);
    }
  }
  return params.rules();
}

std::optional<EdgeText> read_short_edge(const JsonSpot& spot, Diagnostics& diagnostics) {
  constexpr std::string_view kArrow = "->";
  const std::string_view text = spot.value().get_ref<const std::string&>();
  const std::size_t arrow = text.find(kArrow);
  if (arrow == std::string_view::npos || text.find(kArrow, arrow + 1) != std::string_view::npos) {
    diagnostics.add(spot.place(), spot.pointer(), found_text(spot.value(), kAllowedEdge));
    return std::nullopt;
  }
  auto from = read_port(spot, text.substr(0, arrow), diagnostics);
  auto to = read_port(spot, text.substr(arrow + kArrow.size()), diagnostics);
  return from && to ? std::optional{EdgeText{std::move(*from), std::move(*to), {}, {}}} : std::nullopt;
}

std::optional<PortName> read_end(const JsonSpot& spot, std::string_view key, Diagnostics& diagnostics) {
  const auto text = required_string(spot, key, diagnostics);
  return text ? read_port(*spot.find(key), *text, diagnostics) : std::nullopt;
}

}  // namespace

std::optional<EdgeText> read_edge(const JsonSpot& spot, Diagnostics& diagnostics) {
  if (spot.value().is_string()) {
    return read_short_edge(spot, diagnostics);
  }
  if (!check_object(spot, kAllowedEdge, diagnostics)) {
    return std::nullopt;
  }
  check_keys(spot, kEdgeKeys, diagnostics);
  auto from = read_end(spot, "from", diagnostics);
  auto to = read_end(spot, "to", diagnostics);
  const auto capacity = spot.find("capacity");
  const Capacity read = capacity ? read_capacity(*capacity, diagnostics) : Capacity{};
  const EdgeRules rules = read_rules(spot, diagnostics);
  return from && to ? std::optional{EdgeText{std::move(*from), std::move(*to), read, rules}} : std::nullopt;
}

std::optional<std::int64_t> parse_byte_size(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, unsigned>, 5> kUnits{
      {{"B", 0U}, {"KiB", 10U}, {"MiB", 20U}, {"GiB", 30U}, {"TiB", 40U}}};
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 1) {
    return std::nullopt;
  }
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const auto& [name, shift] : kUnits) {
    if (unit == name && number <= (std::numeric_limits<std::int64_t>::max() >> shift)) {
      return number << shift;
    }
  }
  return std::nullopt;
}

}  // namespace dflash
