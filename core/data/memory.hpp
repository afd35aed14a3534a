// SPDX-License-Identifier: Apache-2.0
// How much memory there is, for sentences about too much of it.
#pragma once

#include <cstdint>
#include <string>

namespace tenon {

// Bytes of memory and swap that this process may hope for at most: the machine's, or its control group's where that is
// less. Mapping more would succeed, and the system would kill the process once it is used.
std::uint64_t memory_there_is();

// "5.2 GiB", "340.0 MiB".
std::string bytes_text(std::uint64_t bytes);

}  // namespace tenon
