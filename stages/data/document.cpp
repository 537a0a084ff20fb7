// SPDX-License-Identifier: Apache-2.0
#include "stages/data/document.h"

#include <utility>

#include "framework/core/item_fields.h"

namespace dflash {
namespace {

/// A conversation as lists: one entry a turn, or one a call of a tool.
struct Turns {
  std::vector<std::string> roles, contents, reasonings, call_names, call_arguments;
  std::vector<std::uint8_t> losses, have_reasoning, calls_in_string;
  std::vector<std::int64_t> calls;  // of each turn
};

Turns turns_of(const std::vector<ChatMessage>& conversation) {
  Turns turns;
  for (const ChatMessage& message : conversation) {
    turns.roles.push_back(message.role);
    turns.contents.push_back(message.content);
    turns.losses.push_back(message.loss ? 1 : 0);
    turns.have_reasoning.push_back(message.reasoning ? 1 : 0);
    turns.reasonings.push_back(message.reasoning.value_or(""));
    turns.calls.push_back(std::ssize(message.tool_calls));
    for (const ToolCall& call : message.tool_calls) {
      turns.call_names.push_back(call.name);
      turns.call_arguments.push_back(call.arguments);
      turns.calls_in_string.push_back(call.in_string ? 1 : 0);
    }
  }
  return turns;
}

void write_turns(ItemWriter& writer, const Turns& turns) {
  writer.add_texts("turns.roles", turns.roles);
  writer.add_texts("turns.contents", turns.contents);
  writer.add("turns.losses", turns.losses);
  writer.add("turns.have_reasoning", turns.have_reasoning);
  writer.add_texts("turns.reasonings", turns.reasonings);
  writer.add("turns.calls", turns.calls);
  writer.add_texts("turns.call_names", turns.call_names);
  writer.add_texts("turns.call_arguments", turns.call_arguments);
  writer.add("turns.calls_in_string", turns.calls_in_string);
}

Turns read_turns(const ItemReader& reader) {
  Turns turns;
  turns.roles = reader.texts("turns.roles");
  turns.contents = reader.texts("turns.contents");
  turns.losses = reader.bytes("turns.losses");
  turns.have_reasoning = reader.bytes("turns.have_reasoning");
  turns.reasonings = reader.texts("turns.reasonings");
  turns.calls = reader.numbers("turns.calls");
  turns.call_names = reader.texts("turns.call_names");
  turns.call_arguments = reader.texts("turns.call_arguments");
  turns.calls_in_string = reader.bytes("turns.calls_in_string");
  const std::size_t count = turns.roles.size();
  reader.check(turns.contents.size() == count && turns.losses.size() == count && turns.have_reasoning.size() == count &&
                   turns.reasonings.size() == count && turns.calls.size() == count,
               "the lists of its turns are not as many");
  const std::size_t calls = turns.call_names.size();
  reader.check(turns.call_arguments.size() == calls && turns.calls_in_string.size() == calls,
               "the lists of its calls are not as many");
  return turns;
}

std::vector<ChatMessage> conversation_of(const ItemReader& reader, Turns turns) {
  std::vector<ChatMessage> conversation;
  std::size_t call = 0;
  for (std::size_t i = 0; i < turns.roles.size(); ++i) {
    ChatMessage& message = conversation.emplace_back();
    message.role = std::move(turns.roles[i]);
    message.content = std::move(turns.contents[i]);
    message.loss = turns.losses[i] != 0;
    if (turns.have_reasoning[i] != 0) {
      message.reasoning = std::move(turns.reasonings[i]);
    }
    const auto left = static_cast<std::int64_t>(turns.call_names.size() - call);
    reader.check(0 <= turns.calls[i] && turns.calls[i] <= left, "a turn makes calls that are not there");
    for (const std::size_t end = call + static_cast<std::size_t>(turns.calls[i]); call < end; ++call) {
      message.tool_calls.push_back({.name = std::move(turns.call_names[call]),
                                    .arguments = std::move(turns.call_arguments[call]),
                                    .in_string = turns.calls_in_string[call] != 0});
    }
  }
  reader.check(call == turns.call_names.size(), "calls of no turn are there");
  return conversation;
}

}  // namespace

std::string ItemType<Document>::serialize(const Document& document) {
  ItemWriter writer{kName};
  writer.set("row_id", document.row_id);
  writer.set("epoch", document.epoch);
  writer.add("ids", document.ids);
  writer.add("loss_mask", document.loss_mask);
  writer.add_text("tag", document.tag);
  write_turns(writer, turns_of(document.conversation));
  return writer.take();
}

Document ItemType<Document>::deserialize(std::string_view bytes, const std::string&) {
  const ItemReader reader{bytes, kName};
  Document document;
  document.row_id = reader.number("row_id");
  document.epoch = reader.number("epoch");
  document.ids = reader.short_numbers("ids");
  document.loss_mask = reader.bytes("loss_mask");
  reader.check(document.loss_mask.size() == document.ids.size(), "its ids and its loss mask are not as many");
  document.tag = reader.text("tag");
  document.conversation = conversation_of(reader, read_turns(reader));
  return document;
}

}  // namespace dflash
