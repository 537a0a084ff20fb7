// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/core/catalog.h"

namespace dflash {

/// Every stage type of this program: the one table.
Catalog stage_catalog();

}  // namespace dflash
