// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/known_templates.h"

#include <array>
#include <string_view>

#include "stages/data/templates/chatml.h"
#include "stages/data/templates/llama3.h"
#include "stages/data/templates/llama3_1.h"
#include "stages/data/templates/qwen2.h"
#include "stages/data/templates/qwen3.h"

namespace dflash {

namespace {

using Renderer = std::unique_ptr<const ChatRenderer>;

Renderer chatml(const TemplateVariables& /*variables*/) { return std::make_unique<ChatMl>(""); }

Renderer smollm2(const TemplateVariables& /*variables*/) {
  return std::make_unique<ChatMl>("You are a helpful AI assistant named SmolLM, trained by Hugging Face");
}

Renderer qwen2_5(const TemplateVariables& /*variables*/) {
  return std::make_unique<Qwen2Chat>("You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
                                     StringArguments::kQuoted);
}

Renderer qwen3_instruct(const TemplateVariables& /*variables*/) {
  return std::make_unique<Qwen2Chat>("", StringArguments::kAsTheyStand);
}

Renderer qwen3(const TemplateVariables& variables) { return std::make_unique<Qwen3Chat>(variables.thinking); }

Renderer llama3(const TemplateVariables& variables) { return std::make_unique<Llama3Chat>(variables.bos_token); }

Renderer llama3_1(const TemplateVariables& variables) { return std::make_unique<Llama31Chat>(variables.bos_token); }

struct Known {
  std::uint64_t key;  // `template_key` of a published text
  std::string_view name;
  Renderer (*make)(const TemplateVariables&);
};

/// Where a name has several texts, they stand together.
constexpr std::array kKnown{
    Known{0x4c6e807ee5fe9f4a, "ChatML without a default system turn", chatml},
    Known{0x83059ddcb62b07a0, "SmolLM2", smollm2},
    Known{0x2469c9508f79506e, "Qwen2.5", qwen2_5},
    Known{0x0283f874ff58d644, "Qwen3", qwen3},
    Known{0xc9e0155c80737cf2, "Qwen3", qwen3},  // takes messages without a content
    Known{0x8fb5d937b1e8f5d0, "Qwen3 Instruct 2507", qwen3_instruct},
    Known{0x866fc8fa50da12fe, "Llama 3", llama3},
    Known{0x6ca7779b7730196a, "Llama 3.1", llama3_1},
};

}  // namespace

std::unique_ptr<const ChatRenderer> known_template(std::uint64_t key, const TemplateVariables& variables) {
  for (const Known& known : kKnown) {
    if (known.key == key) {
      return known.make(variables);
    }
  }
  return nullptr;
}

std::string known_template_names() {
  std::string names;
  std::string_view last;
  for (const Known& known : kKnown) {
    if (known.name != last) {
      names += (names.empty() ? "" : ", ") + std::string{known.name};
    }
    last = known.name;
  }
  return names;
}

}  // namespace dflash
