// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/application.h"
#include "stages/application.h"

int main(int argc, char** argv) { return dflash::run_command_line(dflash::dflash_application(), argc, argv); }
