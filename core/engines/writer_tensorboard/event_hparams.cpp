// SPDX-License-Identifier: Apache-2.0
#include "engines/writer_tensorboard/event_hparams.hpp"

#include <charconv>
#include <cstdint>
#include <string_view>

#include "engines/writer_tensorboard/event_format.hpp"
#include "engines/writer_tensorboard/protobuf.hpp"

namespace tenon {
namespace {

using namespace protobuf;

// Fields of the messages in tensorboard/plugins/hparams/plugin_data.proto, google/protobuf/struct.proto and
// tensorflow/core/framework/summary.proto.
constexpr std::uint32_t kHparamsTag = 1;
constexpr std::uint32_t kValueTensor = 8;
constexpr std::uint32_t kValueMetadata = 9;
constexpr std::uint32_t kMetadataPlugin = 1;
constexpr std::uint32_t kPluginName = 1;
constexpr std::uint32_t kPluginContent = 2;
constexpr std::uint32_t kDataSession = 3;
constexpr std::uint32_t kSessionHparams = 1;
constexpr std::uint32_t kSessionStartTime = 5;
constexpr std::uint32_t kEntryKey = 1;
constexpr std::uint32_t kEntryValue = 2;
constexpr std::uint32_t kNumber = 2;
constexpr std::uint32_t kText = 3;
constexpr std::uint32_t kFlag = 4;
constexpr std::string_view kNoTensor("\x08\x01\x12\x02\x12\x00", 6);  // of floats, with no element

std::string value_of(const Hparam& hparam) {
    std::string out;
    if (const bool* const flag = std::get_if<bool>(&hparam)) {
        put_key(out, kFlag, kVarint);
        put_varint(out, *flag ? 1 : 0);
    } else if (const double* const number = std::get_if<double>(&hparam)) {
        put_double(out, kNumber, *number);
    } else {
        put_bytes(out, kText, std::get<std::string>(hparam));
    }
    return out;
}

std::string bytes_of(std::uint32_t field, std::string_view bytes) {
    std::string out;
    put_bytes(out, field, bytes);
    return out;
}

Hparam hparam_of(const std::string& text) {
    if (text == "true" || text == "false") {
        return text == "true";
    }
    double number = 0;
    const char* const end = text.data() + text.size();
    if (const auto read = std::from_chars(text.data(), end, number); read.ec == std::errc{} && read.ptr == end) {
        return number;
    }
    const bool quoted = text.size() > 1 && text.front() == '"' && text.find('\\') == std::string::npos;
    return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

Hparams hparams_of(const std::map<std::string, std::string>& values) {
    Hparams out;
    for (const auto& [key, text] : values) {
        out.emplace_back(key, hparam_of(text));
    }
    return out;
}

void append_hparams_event(std::string& out, double wall_time_s, const Hparams& hparams) {
    std::string session;
    for (const auto& [key, hparam] : hparams) {
        put_bytes(session, kSessionHparams, bytes_of(kEntryKey, key) + bytes_of(kEntryValue, value_of(hparam)));
    }
    put_double(session, kSessionStartTime, wall_time_s);
    const std::string plugin =
        bytes_of(kPluginName, "hparams") + bytes_of(kPluginContent, bytes_of(kDataSession, session));
    append_summary_event(out, wall_time_s, 0,
                         bytes_of(kHparamsTag, "_hparams_/session_start_info") + bytes_of(kValueTensor, kNoTensor) +
                             bytes_of(kValueMetadata, bytes_of(kMetadataPlugin, plugin)));
}

}  // namespace tenon
