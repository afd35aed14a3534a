// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"

#include <string_view>

namespace bridge {
namespace {

constexpr std::string_view kDone = "ok\n";
constexpr std::string_view kFailed = "failed\n";

}  // namespace

std::string unpack_answer(const std::string& text, const std::string& name) {
    if (text.starts_with(kFailed)) {
        throw tenon::InvalidArgument(text.substr(kFailed.size()));
    }
    if (!text.starts_with(kDone)) {
        throw tenon::Unavailable("the Python side of " + name + " sent an answer that is none");
    }
    return text.substr(kDone.size());
}

std::string answer_of(Process& process, const std::string& name, const std::string& python, double seconds) {
    std::string text;
    try {
        text = process.receive(seconds);
    } catch (const tenon::Unavailable& error) {
        throw ProcessEnded(
            "the worker process of " + name + ", " + python + ", " + error.what() + process.what_it_said(),
            error.what(), process.was_ended_by_signal());
    }
    return unpack_answer(text, name);
}

std::vector<std::byte> save_lane(const Ask& ask, std::uint32_t lane, std::string& why) {
    try {
        const std::string bytes = ask("{\"call\":\"save\",\"lane\":" + std::to_string(lane) + "}");
        const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
        return {data, data + bytes.size()};
    } catch (const tenon::InvalidArgument& error) {
        why = error.what();
        return {};
    }
}

void load_lane(const Ask& ask, std::uint32_t lane, const std::vector<std::byte>& bytes, const std::string& name) {
    try {
        ask("{\"call\":\"load\",\"lane\":" + std::to_string(lane) + "}\n" +
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    } catch (const tenon::InvalidArgument& error) {
        throw tenon::DataLoss("the saved state of " + name + " cannot be loaded: " + error.what());
    }
}

}  // namespace bridge
