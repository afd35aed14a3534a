// SPDX-License-Identifier: Apache-2.0
// The secret that a client has to know. Every process of a machine can reach a port of loopback, whoever owns it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace tenon {

// A new token: 32 hexadecimal digits from the system's source of randomness.
Result<std::string> make_token();

// The token in this file, which only its owner can read. A new one is made if there is none, so the addresses of a user
// stay the same when a server is restarted.
Result<std::string> kept_token(const std::filesystem::path& file);

// The kept token of a folder. If there is no folder or it cannot be written, it is a new token, and the address is
// different next time.
Result<std::string> token_in(const std::filesystem::path& folder);

// Compares in a time that does not depend on where the texts differ.
bool equal_secrets(std::string_view a, std::string_view b);

}  // namespace tenon
