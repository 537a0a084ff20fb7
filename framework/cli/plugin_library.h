// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/cli/application.h"

namespace dflash {

/// Opens shared libraries of stages and adds their types to the application, in the order given. They stay loaded until
/// the process ends, since stages, items and errors that they made may live as long. Throws UserError, one line that
/// names the file, where there is none, where it is no plugin or of another build (ABI number, framework, compiler,
/// LibTorch, CUDA), where a type name is taken, and for whatever the plugin itself throws; but for what
/// a static initialiser throws: that ends the process, in the same words and with the same exit code.
void load_plugins(const std::vector<std::string>& files, Application& application);

}  // namespace dflash
