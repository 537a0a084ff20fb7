// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/known_templates.h"

#include <array>
#include <cstdint>

#include "stages/data/templates/chatml.h"

namespace dflash {

namespace {

using Make = std::unique_ptr<const ChatRenderer> (*)();

std::unique_ptr<const ChatRenderer> plain_chatml() { return std::make_unique<ChatMl>(""); }

std::unique_ptr<const ChatRenderer> smollm2() {
  return std::make_unique<ChatMl>("You are a helpful AI assistant named SmolLM, trained by Hugging Face");
}

struct Known {
  std::uint64_t key;  // `template_key` of the published text
  const char* name;
  Make make;
};

constexpr std::array kKnown{
    Known{0x4c6e807ee5fe9f4a, "ChatML without a default system turn", plain_chatml},
    Known{0x83059ddcb62b07a0, "SmolLM2's", smollm2},
};

}  // namespace

std::unique_ptr<const ChatRenderer> known_template(std::uint64_t key) {
  for (const Known& known : kKnown) {
    if (known.key == key) {
      return known.make();
    }
  }
  return nullptr;
}

std::string known_template_names() {
  std::string names;
  for (const Known& known : kKnown) {
    names += (names.empty() ? "" : ", ") + std::string{known.name};
  }
  return names;
}

}  // namespace dflash
