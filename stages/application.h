// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cli/application.h"

namespace dflash {

/// The program as the framework's command line sees it: the stages, the models, the export, the devices.
Application dflash_application();

}  // namespace dflash
