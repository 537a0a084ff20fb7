// SPDX-License-Identifier: Apache-2.0
#include "stages/catalog.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

TEST(StageCatalog, MakesEveryTypeThatItNames) {
  const Catalog catalog = stage_catalog();
  for (const Catalog::Entry& entry : catalog.entries()) {
    const std::unique_ptr<Stage> stage = entry.make();
    EXPECT_FALSE(entry.info.summary.empty()) << entry.info.type;
    EXPECT_FALSE(stage->inputs().empty() && stage->outputs().empty()) << entry.info.type;
  }
}

TEST(StageCatalog, ExplainsEveryParameterAndTakesItsDefault) {
  const Catalog catalog = stage_catalog();
  for (const Catalog::Entry& entry : catalog.entries()) {
    const std::unique_ptr<Stage> stage = entry.make();
    for (ParamBase* param : stage->params()) {
      EXPECT_FALSE(param->help().empty()) << entry.info.type << "." << param->name();
      EXPECT_EQ(param->assign(param->default_json()).has_value(), param->is_required())
          << entry.info.type << "." << param->name();
    }
  }
}

}  // namespace
}  // namespace dflash
