// SPDX-License-Identifier: Apache-2.0
// A plugin that needs what nobody has, as one built for another version of the program does.
namespace dflash {

int removed_since(int number);

}  // namespace dflash

extern "C" const void* dflash_graph_plugin() { return dflash::removed_since(1) == 0 ? nullptr : ""; }
