// SPDX-License-Identifier: Apache-2.0
// The amount of memory, for messages about excessive requests.
#pragma once

#include <cstdint>
#include <string>

namespace tenon {

// The bytes of memory and swap that this process can use at most: those of the machine, or of its control group if that
// has less. Mapping more would succeed, but the system would kill the process when it uses the memory.
std::uint64_t installed_memory();

// "5.2 GiB", "340.0 MiB".
std::string bytes_text(std::uint64_t bytes);

}  // namespace tenon
