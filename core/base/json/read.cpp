// SPDX-License-Identifier: Apache-2.0
// The only file that includes boost/json. src.hpp contains its implementation, so that there is nothing to link.
#include "base/json/read.hpp"

#include <boost/json/src.hpp>
#include <cstddef>
#include <utility>

namespace tenon {
namespace {

// Notes and headers have about four levels; the limit protects the stack from hostile input.
constexpr std::size_t kMaxDepth = 64;

Json convert(const boost::json::value& from) {
    switch (from.kind()) {
        case boost::json::kind::null:
            return {};
        case boost::json::kind::bool_:
            return {from.get_bool()};
        case boost::json::kind::int64:
            return {from.get_int64()};
        case boost::json::kind::uint64:
            return {static_cast<double>(from.get_uint64())};
        case boost::json::kind::double_:
            return {from.get_double()};
        case boost::json::kind::string:
            return {std::string(from.get_string())};
        case boost::json::kind::array: {
            JsonArray array;
            array.reserve(from.get_array().size());
            for (const boost::json::value& element : from.get_array()) {
                array.push_back(convert(element));
            }
            return {std::move(array)};
        }
        case boost::json::kind::object: {
            JsonObject object;
            object.reserve(from.get_object().size());
            for (const auto& member : from.get_object()) {
                object.push_back({std::string(member.key()), convert(member.value())});
            }
            return {std::move(object)};
        }
    }
    return {};
}

}  // namespace

const Json* Json::find(std::string_view key) const {
    if (const JsonObject* object = get<JsonObject>()) {
        for (const JsonMember& member : *object) {
            if (member.key == key) {
                return &member.value;
            }
        }
    }
    return nullptr;
}

Result<Json> parse_json(std::string_view text, std::string_view subject) {
    boost::json::parse_options options;
    options.max_depth = kMaxDepth;
    boost::json::stream_parser parser({}, options);
    boost::json::error_code code;
    std::size_t used = parser.write_some(text.data(), text.size(), code);
    if (!code && used == text.size()) {
        parser.finish(code);
    }
    while (!code && used < text.size() && std::string_view(" \t\r\n").find(text[used]) != std::string_view::npos) {
        ++used;
    }
    if (code || used < text.size()) {
        const std::string reason = code ? code.message() : "there is text after the end";
        return input_problem(std::string(subject) + " is not JSON at byte " + std::to_string(used) + ": " + reason);
    }
    return convert(parser.release());
}

}  // namespace tenon
