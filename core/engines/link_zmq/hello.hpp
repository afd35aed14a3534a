// SPDX-License-Identifier: Apache-2.0
// What processes say at their meeting: hello, or why they take no part, and process 0 why there will be no run.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/link_zmq/socket.hpp"

namespace tenon::zmq {

using Clock = std::chrono::steady_clock;

inline constexpr std::string_view kHello = "tenon shard 2";
inline constexpr std::string_view kFailed = "tenon failed 2";
inline constexpr std::string_view kTable = "tenon shards 2";
inline constexpr std::string_view kRefused = "tenon refused 2";

inline std::string_view text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

inline std::optional<std::size_t> number(const std::string& word) {
    std::size_t out = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), out);
    return read.ec == std::errc() && read.ptr == word.data() + word.size() ? std::optional(out) : std::nullopt;
}

inline std::string shard(std::size_t rank, std::size_t count) {
    return "shard " + std::to_string(rank) + " of " + std::to_string(count);
}

inline Status send(const Library& zmq, void* socket, std::string_view message, int flags = 0) {
    return zmq.send(socket, message.data(), message.size(), flags) >= 0
               ? Status()
               : Status(environment_problem("a message to another shard cannot be sent: " + last_error(zmq)));
}

// A process that has said hello, and says it again until it is answered.
struct Guest {
    std::string id;  // of the router's connection
    std::string name;
    std::vector<std::string> endpoints;
    Clock::time_point heard = Clock::now();  // its latest hello
    std::string before = {};                 // the name of the one whose place it has taken
    Clock::time_point since = {};            // when it did that
};

struct Hello {
    std::size_t rank = 0;
    std::size_t count = 0;
    Guest guest;
    std::optional<Problem> failed = {};  // why this process takes no part
};

// A problem as lines of a message, and back.
inline std::string lines_of(const Problem& why) {
    std::string sentence = why.sentence;
    std::ranges::replace(sentence, '\n', ' ');
    return std::to_string(static_cast<int>(why.fault)) + "\n" + sentence;
}

inline Problem problem_of(const std::string& fault, const std::string& sentence) {
    Problem out = environment_problem(sentence);
    out.fault = fault == "2" ? Fault::kInput : fault == "3" ? Fault::kPlugin : Fault::kEnvironment;
    return out;
}

// The next hello that has come. What is no hello is a stranger's, and is dropped.
inline std::optional<Hello> take_hello(const Library& zmq, void* router) {
    Received part(zmq);
    while (part.take(router)) {
        const std::string id(text(part.bytes()));
        std::string message;
        while (part.has_more() && part.take(router)) {
            message = text(part.bytes());
        }
        std::vector<std::string> lines = lines_of(message);
        const bool has_failed = lines.size() == 6 && lines[0] == kFailed;
        if (!has_failed && (lines.size() < 4 || lines[0] != kHello)) {
            continue;
        }
        const auto rank = number(lines[1]);
        const auto count = number(lines[2]);
        if (rank && count) {
            Hello out{.rank = *rank, .count = *count, .guest = {.id = id, .name = lines[3], .endpoints = {}}};
            if (has_failed) {
                out.failed = problem_of(lines[4], lines[5]);
            } else {
                out.guest.endpoints.assign(lines.begin() + 4, lines.end());
            }
            return out;
        }
    }
    return std::nullopt;
}

inline Status refuse_one(const Library& zmq, void* router, const std::string& id, const Problem& why) {
    TENON_TRY(send(zmq, router, id, kMore));
    return send(zmq, router, std::string(kRefused) + "\n" + lines_of(why));
}

// What a process that has failed before it could take part says of itself to the others.
inline Problem said_by(std::size_t rank, std::size_t count, const std::string& name, Problem why) {
    why.sentence = shard(rank, count) + " (" + name + "): " + why.sentence;
    return why;
}

// The hello of this process.
inline std::string hello_of(const Meeting& meeting, const std::vector<std::string>& endpoints) {
    std::string out(meeting.failed == nullptr ? kHello : kFailed);
    out += "\n" + std::to_string(meeting.rank) + "\n" + std::to_string(meeting.count) + "\n" + meeting.name;
    for (const std::string& endpoint : endpoints) {
        out += "\n" + endpoint;
    }
    return out + (meeting.failed == nullptr ? "" : "\n" + lines_of(*meeting.failed));
}

// The problem that process 0 has answered; nothing: it has answered something else.
inline std::optional<Problem> refusal(std::string_view answer) {
    const std::vector<std::string> lines = lines_of(answer);
    return lines.size() == 3 && lines[0] == kRefused ? std::optional(problem_of(lines[1], lines[2])) : std::nullopt;
}

}  // namespace tenon::zmq
