// SPDX-License-Identifier: Apache-2.0
// Messages to the package tenon_worker and their answers (tenon_worker/session.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "process.hpp"

namespace bridge {

// What follows the word for success. Throws, with the package's sentence, if the message failed.
std::string unpack_answer(const std::string& text, const std::string& name);

// Waits for the answer of a process. `name` is that of its environments, `python` its interpreter.
std::string answer_of(Process& process, const std::string& name, const std::string& python, double seconds);

// Sends a message and returns what unpack_answer makes of the answer.
using Ask = std::function<std::string(const std::string& message)>;

// The environment of a lane as bytes; none, and why, if it cannot be pickled.
std::vector<std::byte> save_lane(const Ask& ask, std::uint32_t lane, std::string& why);
void load_lane(const Ask& ask, std::uint32_t lane, const std::vector<std::byte>& bytes, const std::string& name);

}  // namespace bridge
