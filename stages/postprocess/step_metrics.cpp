// SPDX-License-Identifier: Apache-2.0
#include "stages/postprocess/step_metrics.h"

#include "stages/models/tensor_fields.h"

namespace dflash {

std::string ItemType<StepMetrics>::serialize(const StepMetrics& metrics) {
  ItemWriter writer{kName};
  writer.add_text("stage", metrics.stage);
  writer.set("step", metrics.step);
  writer.set("tokens", metrics.tokens);
  writer.set_real("lr", metrics.lr);
  writer.add_texts("names", metrics.names);
  add_tensor(writer, "values", metrics.values);
  std::vector<std::string> phases;
  for (std::size_t i = 0; i < metrics.phase_seconds.size(); ++i) {
    phases.push_back(metrics.phase_seconds[i].first);
    writer.set_real("phase." + std::to_string(i), metrics.phase_seconds[i].second);
  }
  writer.add_texts("phases", phases);
  return writer.take();
}

StepMetrics ItemType<StepMetrics>::deserialize(std::string_view bytes, const std::string&) {
  const ItemReader reader{bytes, kName};
  StepMetrics metrics;
  metrics.stage = reader.text("stage");
  metrics.step = reader.number("step");
  metrics.tokens = reader.number("tokens");
  metrics.lr = reader.real("lr");
  metrics.names = reader.texts("names");
  metrics.values = read_tensor(reader, "values", at::kCPU);
  reader.check(metrics.values.scalar_type() == at::kFloat && metrics.values.dim() == 1 &&
                   metrics.values.numel() == std::ssize(metrics.names),
               "its values and their names are not as many");
  const std::vector<std::string> phases = reader.texts("phases");
  for (std::size_t i = 0; i < phases.size(); ++i) {
    metrics.phase_seconds.emplace_back(phases[i], reader.real("phase." + std::to_string(i)));
  }
  return metrics;
}

}  // namespace dflash
