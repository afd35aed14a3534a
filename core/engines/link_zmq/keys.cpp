// SPDX-License-Identifier: Apache-2.0
#include "engines/link_zmq/keys.hpp"

#include <cstddef>
#include <cstdint>

#include "base/file/sha256.hpp"

namespace tenon::zmq {

Result<Keys> keys_of(const Library& zmq, const std::string& secret, const std::string& whose) {
    const std::string digits = sha256("tenon " + whose + " " + secret);  // 64 hexadecimal digits
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
    }
    Keys out;
    if (zmq.z85_encode(out.secret.data(), bytes.data(), bytes.size()) == nullptr ||
        zmq.curve_public(out.open.data(), out.secret.data()) != 0) {
        return environment_problem("this libzmq cannot encrypt (it has no CURVE), but the " + whose +
                                   " are on a network");
    }
    return out;
}

Status use_keys(const Library& zmq, void* socket, const std::optional<Keys>& keys, bool binds) {
    if (!keys) {
        return {};
    }
    const int yes = 1;
    const auto set = [&](Option option, const std::array<char, 41>& key) {
        return zmq.setsockopt(socket, option, key.data(), key.size() - 1) == 0;
    };
    const bool done =
        binds ? zmq.setsockopt(socket, kCurveServer, &yes, sizeof yes) == 0 && set(kCurveSecretKey, keys->secret)
              : set(kCurveServerKey, keys->open) && set(kCurvePublicKey, keys->open) &&
                    set(kCurveSecretKey, keys->secret);
    return done ? Status() : Status(environment_problem("a key of connections cannot be set: " + last_error(zmq)));
}

}  // namespace tenon::zmq
