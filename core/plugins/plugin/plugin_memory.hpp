// SPDX-License-Identifier: Apache-2.0
// Which plugin's file an address is in, for signal handlers, which may not ask the dynamic linker.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tenon {

// Remembers the library that has this address, of a plugin that has been loaded. The file is the name in messages.
void remember_plugin_memory(const void* address, const std::filesystem::path& file);

// The file of the remembered library with this address; null: none. Safe in signal handlers.
const char* plugin_at(std::uintptr_t address);

// The same for the newest address in a stack that is in a remembered library. It is usually in the innermost function
// of a plugin. Safe in signal handlers, whatever the stack contains.
const char* plugin_on_stack(std::uintptr_t stack);

// Where the thread was, from the third argument of a signal handler.
struct Registers {
    std::uintptr_t instruction = 0;
    std::uintptr_t stack = 0;
};
Registers registers_of(const void* context);

}  // namespace tenon
