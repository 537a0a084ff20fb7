// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dflash {

/// Names a payload type. The owner of a payload type T specialises it:
///
///   template <> struct ItemType<TokenPack> {
///     static constexpr std::string_view kName = "token_pack";
///     static std::int64_t bytes(const TokenPack&);   // optional: needed by edges bounded in bytes
///     static TokenPack poisoned(const TokenPack&);   // optional: a copy that holds NaN, for inject.nan_at
///     static TokenPack initial();                    // optional: what a feedback edge holds before the first firing
///     // optional, both or neither: bytes for a recording (ItemWriter makes them), and what they stand for, with the
///     // tensors that a run has on its device on `device`. Damaged bytes are a UserError.
///     static std::string serialize(const TokenPack&);
///     static TokenPack deserialize(std::string_view bytes, const std::string& device);
///   };
///
/// Payloads are immutable once emitted and must be copyable; a copy shares tensors, it does not clone them.
template <class T>
struct ItemType;

struct Item;
class Completion;

/// The run-time face of an ItemType. One static instance a type; two ports carry the same type if the names are equal.
struct ItemTypeInfo {
  std::string_view name;
  std::int64_t (*bytes)(const void* payload) = nullptr;              // null: the type does not say
  std::shared_ptr<void> (*poisoned)(const void* payload) = nullptr;  // null: the type has nothing to poison
  Item (*initial)() = nullptr;                                       // null: there is no such value
  std::string (*serialize)(const void* payload) = nullptr;           // null: the type cannot be recorded
  Item (*deserialize)(std::string_view bytes, const std::string& device) = nullptr;  // null where `serialize` is
};

template <class T>
Item make_item(T value);

template <class T>
const ItemTypeInfo& item_type() {
  static const ItemTypeInfo info = [] {
    ItemTypeInfo made{.name = ItemType<T>::kName};
    if constexpr (requires(const T& t) {
                    { ItemType<T>::bytes(t) } -> std::convertible_to<std::int64_t>;
                  }) {
      made.bytes = [](const void* payload) -> std::int64_t {
        return ItemType<T>::bytes(*static_cast<const T*>(payload));
      };
    }
    if constexpr (requires(const T& t) {
                    { ItemType<T>::poisoned(t) } -> std::same_as<T>;
                  }) {
      made.poisoned = [](const void* payload) -> std::shared_ptr<void> {
        return std::make_shared<T>(ItemType<T>::poisoned(*static_cast<const T*>(payload)));
      };
    }
    if constexpr (requires {
                    { ItemType<T>::initial() } -> std::same_as<T>;
                  }) {
      made.initial = [] { return make_item<T>(ItemType<T>::initial()); };
    }
    if constexpr (requires(const T& t, std::string_view bytes, const std::string& device) {
                    { ItemType<T>::serialize(t) } -> std::same_as<std::string>;
                    { ItemType<T>::deserialize(bytes, device) } -> std::same_as<T>;
                  }) {
      made.serialize = [](const void* payload) { return ItemType<T>::serialize(*static_cast<const T*>(payload)); };
      made.deserialize = [](std::string_view bytes, const std::string& device) {
        return make_item<T>(ItemType<T>::deserialize(bytes, device));
      };
    }
    return made;
  }();
  return info;
}

/// Where every stateful stage upstream stood just after an item was emitted: stage name to its serialised snapshot
/// values (JSON text). It travels with the item, so that the stage which takes the item knows how to come back to this
/// point. Snapshots of the last consumed items plus the consumer's own state are a consistent cut of the run.
using Origin = std::map<std::string, std::string>;

/// What travels on an edge: a handle on an immutable payload, its sequence number on that edge, and its origin.
/// Move-only, so that an item is in one place; fan-out makes a second handle explicitly with `share`.
struct Item {
  Item() = default;
  Item(Item&&) = default;
  Item& operator=(Item&&) = default;
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;
  ~Item() = default;

  /// A second handle on the same payload.
  [[nodiscard]] Item share() const {
    Item other;
    other.payload = payload;
    other.type = type;
    other.seq = seq;
    other.from_firing = from_firing;
    other.bytes = bytes;
    other.origin = origin;
    other.ready = ready;
    return other;
  }

  /// A firing was skipped: the item stands for what it would have given, and is never seen by a stage's body.
  [[nodiscard]] bool is_tombstone() const { return payload == nullptr; }

  std::shared_ptr<void> payload;
  const ItemTypeInfo* type = nullptr;
  std::int64_t seq = 0;          // 0-based, gapless per output port
  std::int64_t from_firing = 0;  // of its producer, 1-based; 0: its drain, or the item was there from the beginning
  std::int64_t bytes = 0;        // 0 where the type does not say
  std::shared_ptr<const Origin> origin;
  std::shared_ptr<Completion> ready;  // the device work that makes the payload; null: it is there
};

template <class T>
Item make_item(T value) {
  Item item;
  item.type = &item_type<T>();
  item.bytes = item.type->bytes != nullptr ? item.type->bytes(&value) : 0;
  item.payload = std::make_shared<T>(std::move(value));
  return item;
}

/// The payload of an item: moved out where this is the only handle, copied where others share it.
template <class T>
T take_payload(Item item) {
  auto* payload = static_cast<T*>(item.payload.get());
  if (item.payload.use_count() == 1) {
    return std::move(*payload);
  }
  return *payload;
}

}  // namespace dflash
