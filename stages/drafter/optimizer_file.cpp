// SPDX-License-Identifier: Apache-2.0
#include "stages/drafter/optimizer_file.h"

#include "stages/models/safetensors.h"

namespace dflash {

void save_optimizer(const AdamW& adamw, const std::filesystem::path& file) {
  const std::map<std::string, at::Tensor> state = adamw.state();
  write_safetensors(file, {state.begin(), state.end()});
}

void load_optimizer(AdamW& adamw, const std::filesystem::path& file) {
  const SafetensorsFile stored{file};
  std::map<std::string, at::Tensor> state;
  for (const StoredTensor& tensor : stored.tensors()) {
    state.emplace(tensor.name, stored.tensor(tensor.name));
  }
  adamw.load_state(state, file.string());
}

}  // namespace dflash
