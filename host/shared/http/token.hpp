// SPDX-License-Identifier: Apache-2.0
// The secret that a client has to know. Every process of a machine can reach a port of loopback, whoever owns it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace tenon {

// 32 hexadecimal digits from the system's source of randomness.
Result<std::string> make_token();

// The token in this file, which only its owner can read. A new one is made if there is none, so the addresses of a user
// stay the same when a server is restarted.
Result<std::string> kept_token(const std::filesystem::path& file);

// The kept token of a folder, or a new one if there is no folder or it cannot be written: then the address is another
// one next time.
Result<std::string> token_in(const std::filesystem::path& folder);

// In a time that does not depend on where they differ.
bool equal_secrets(std::string_view a, std::string_view b);

}  // namespace tenon
