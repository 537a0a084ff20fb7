// SPDX-License-Identifier: Apache-2.0
// A tokenizer.json, and a text for it. Where a text is taken, its tokens' spans follow one another within it.
#include <array>

#include "stages/data/tokenizer.h"
#include "tests/fuzz/fuzz_target.h"

namespace dflash {
namespace {

void encode(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<TokenSpan> spans;
  const std::vector<std::int32_t> ids = tokenizer.encode(text, spans);
  DFLASH_CHECK(spans.size() == ids.size(), "{} spans for {} ids", spans.size(), ids.size());
  DFLASH_CHECK(tokenizer.encode(text) == ids, "ids without spans are others");
  std::size_t last = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    DFLASH_CHECK(ids[i] >= 0 && ids[i] < tokenizer.vocab_size(), "id {} of {}", ids[i], tokenizer.vocab_size());
    DFLASH_CHECK(spans[i].begin <= spans[i].end && spans[i].end <= text.size() && spans[i].begin >= last,
                 "span {} to {} behind {} in {} bytes", spans[i].begin, spans[i].end, last, text.size());
    last = spans[i].begin;
  }
  (void)tokenizer.decode(ids);
  (void)tokenizer.decode(ids, /*skip_special=*/true);
}

}  // namespace
}  // namespace dflash

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> pieces = dflash::pieces_of(data, size, 2);
  dflash::read_or_refuse([&] {
    const dflash::Tokenizer tokenizer{pieces[0], "tokenizer.json"};
    dflash::read_or_refuse([&] { dflash::encode(tokenizer, pieces[1]); });
    for (const std::string& text : {std::string{"Hello, 12 wörld\n\n  e\u0301"}, std::string{}}) {
      dflash::read_or_refuse([&] { dflash::encode(tokenizer, text); });
    }
  });
  return 0;
}
