// SPDX-License-Identifier: Apache-2.0
#include "framework/core/stage.h"

#include "framework/core/error.h"
#include "framework/core/snapshot.h"

namespace dflash {

InputPort::InputPort(Stage& stage, std::string_view name, std::string_view help, const ItemTypeInfo& type)
    : Port{stage, name, help, type, stage.inputs().size()} {
  stage.declare(*this);
}

OutputPort::OutputPort(Stage& stage, std::string_view name, std::string_view help, const ItemTypeInfo& type)
    : Port{stage, name, help, type, stage.outputs().size()} {
  stage.declare(*this);
}

void Stage::check(StageCheck&) const {}
void Stage::open(const StageEnv&) {}
void Stage::drain(Firing&) {}
void Stage::close() noexcept {}
void Stage::save(Snapshot&) const {}
void Stage::load(const Snapshot&) {}
bool Stage::shares_producers_lane() const { return false; }

void Buffer::fire(Firing&) { DFLASH_CHECK(false, "a buffer is driven by put and pop"); }

}  // namespace dflash
