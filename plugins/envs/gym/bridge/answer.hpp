// SPDX-License-Identifier: Apache-2.0
// Messages to the package tenon_worker and their answers (tenon_worker/session.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "process.hpp"
#include "tenon/guard.hpp"

namespace bridge {

// A process has ended before it answered.
struct ProcessEnded : tenon::Unavailable {
    ProcessEnded(const std::string& sentence, std::string how_it_ended, bool ended_by_signal)
        : tenon::Unavailable(sentence), how(std::move(how_it_ended)), by_signal(ended_by_signal) {}

    std::string how;
    bool by_signal;
};

// What follows the word for success. Throws, with the package's sentence, if the message failed.
std::string unpack_answer(const std::string& text, const std::string& name);

// Waits for the answer of a process, or throws ProcessEnded. `name` is that of its environments, `python` its
// interpreter.
std::string answer_of(Process& process, const std::string& name, const std::string& python, double seconds);

// Sends a message and returns what unpack_answer makes of the answer.
using Ask = std::function<std::string(const std::string& message)>;

// The environment of a lane as bytes; none, and why, if it cannot be pickled.
std::vector<std::byte> save_lane(const Ask& ask, std::uint32_t lane, std::string& why);
void load_lane(const Ask& ask, std::uint32_t lane, const std::vector<std::byte>& bytes, const std::string& name);

}  // namespace bridge
