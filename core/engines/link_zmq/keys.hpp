// SPDX-License-Identifier: Apache-2.0
// The key of processes whose connections cross a network: all of them derive the same pair of keys from one secret. A
// process without the secret can neither connect nor read (CURVE, which needs the server's public key to begin).
#pragma once

#include <array>
#include <optional>
#include <string>

#include "engines/link_zmq/library.hpp"

namespace tenon::zmq {

struct Keys {
    std::array<char, 41> open{};  // the public one; both as text (Z85)
    std::array<char, 41> secret{};
};

// `whose`: connections of another kind have other keys. The same for all of one.
Result<Keys> keys_of(const Library& zmq, const std::string& secret, const std::string& whose = "shards");

// Sets the options of a socket that binds or connects.
Status use_keys(const Library& zmq, void* socket, const std::optional<Keys>& keys, bool binds);

}  // namespace tenon::zmq
