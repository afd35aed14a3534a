// SPDX-License-Identifier: Apache-2.0
// The only file that includes boost/json. src.hpp contains its implementation, so that there is nothing to link.
#include "base/json/read.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>
#include <charconv>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>

namespace tenon {
namespace {

using ErrorCode = boost::json::error_code;
using Text = boost::json::string_view;

// Notes and headers have about four levels; the limit protects the stack from hostile input.
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kFewMembers = 16;  // which are compared with each other

// Members with the same key become one, in the first one's place and with the last one's value.
void keep_last(JsonObject& object) {
    JsonObject kept;
    kept.reserve(object.size());
    std::unordered_map<std::string_view, std::size_t> places;  // the keys are in `object`, which keeps them
    for (JsonMember& member : object) {
        const auto [found, is_new] = places.emplace(member.key, kept.size());
        if (is_new) {
            kept.push_back({member.key, std::move(member.value)});
        } else {
            kept[found->second].value = std::move(member.value);
        }
    }
    object = std::move(kept);
}

bool has_equal_keys(const JsonObject& object) {
    if (object.size() > kFewMembers) {
        return true;  // perhaps
    }
    for (std::size_t i = 1; i < object.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (object[i].key == object[k].key) {
                return true;
            }
        }
    }
    return false;
}

// Builds the tree from what the parser finds: values wait on a stack until their array or object ends. The whole text
// is parsed at once, so that numbers come in one piece; strings with escapes do not.
class TreeHandler {
public:
    // NOLINTBEGIN(readability-identifier-naming): the parser asks for these names.
    static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_object_size = max_array_size;
    static constexpr std::size_t max_string_size = max_array_size;
    static constexpr std::size_t max_key_size = max_array_size;
    // NOLINTEND(readability-identifier-naming)

    void empty_those_of(std::string_view key) { emptied_ = key; }

    Json take() { return values_.empty() ? Json() : std::move(values_.front()); }

    bool on_document_begin(ErrorCode& /*code*/) { return true; }
    bool on_document_end(ErrorCode& /*code*/) { return true; }
    bool on_array_begin(ErrorCode& /*code*/) { return begin(); }
    bool on_object_begin(ErrorCode& /*code*/) { return begin(); }
    bool on_comment_part(Text /*part*/, ErrorCode& /*code*/) { return true; }
    bool on_comment(Text /*rest*/, ErrorCode& /*code*/) { return true; }
    bool on_number_part(Text /*part*/, ErrorCode& /*code*/) { return true; }

    bool on_array_end(std::size_t count, ErrorCode& /*code*/) {
        if (unread_depth_ > 0) {
            return --unread_depth_ > 0 || add({JsonArray{}});
        }
        const auto begin = values_.end() - static_cast<std::ptrdiff_t>(count);
        JsonArray array(std::make_move_iterator(begin), std::make_move_iterator(values_.end()));
        values_.erase(begin, values_.end());
        return add({std::move(array)});
    }
    bool on_object_end(std::size_t count, ErrorCode& /*code*/) {
        if (unread_depth_ > 0) {
            return --unread_depth_ > 0 || add({JsonObject{}});
        }
        JsonObject object;
        object.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            object.push_back(
                {std::move(keys_[keys_.size() - count + i]), std::move(values_[values_.size() - count + i])});
        }
        keys_.resize(keys_.size() - count);
        values_.resize(values_.size() - count);
        if (has_equal_keys(object)) {
            keep_last(object);
        }
        return add({std::move(object)});
    }
    bool on_string_part(Text part, std::size_t /*size*/, ErrorCode& /*code*/) { return append(part); }
    bool on_string(Text rest, std::size_t /*size*/, ErrorCode& /*code*/) {
        append(rest);
        return add({std::exchange(text_, {})});
    }
    bool on_key_part(Text part, std::size_t /*size*/, ErrorCode& /*code*/) { return append(part); }
    bool on_key(Text rest, std::size_t /*size*/, ErrorCode& /*code*/) {
        append(rest);
        if (unread_depth_ == 0) {
            follows_emptied_ = !emptied_.empty() && text_ == emptied_;
            keys_.push_back(std::exchange(text_, {}));
        }
        return true;
    }
    bool on_int64(std::int64_t value, Text /*digits*/, ErrorCode& /*code*/) { return add({value}); }
    bool on_uint64(std::uint64_t value, Text /*digits*/, ErrorCode& /*code*/) {
        return add({static_cast<double>(value)});
    }
    // Boost may miss the last bit of a double; from_chars does not. A number that no double can hold stays as Boost has
    // read it.
    bool on_double(double value, Text digits, ErrorCode& /*code*/) {
        if (unread_depth_ == 0) {
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        }
        return add({value});
    }
    bool on_bool(bool value, ErrorCode& /*code*/) { return add({value}); }
    bool on_null(ErrorCode& /*code*/) { return add({}); }

private:
    bool begin() {
        unread_depth_ += unread_depth_ > 0 || follows_emptied_ ? 1 : 0;
        follows_emptied_ = false;
        return true;
    }
    bool add(Json value) {
        if (unread_depth_ == 0) {
            values_.push_back(std::move(value));
            follows_emptied_ = false;
        }
        return true;
    }
    bool append(Text part) {
        if (unread_depth_ == 0) {
            text_.append(part.data(), part.size());
        }
        return true;
    }

    std::vector<Json> values_;
    std::vector<std::string> keys_;
    std::string text_;  // of the string or key so far
    std::string_view emptied_;
    bool follows_emptied_ = false;  // the next value is that of the key `emptied_`
    std::size_t unread_depth_ = 0;  // lists and objects around the next value, from that of `emptied_` on
};

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

Result<Json> parse_json(std::string_view text, std::string_view subject, std::string_view emptied) {
    boost::json::parse_options options;
    options.max_depth = kMaxDepth;
    boost::json::basic_parser<TreeHandler> parser(options);
    parser.handler().empty_those_of(emptied);
    ErrorCode code;
    std::size_t used = parser.write_some(false, text.empty() ? "" : text.data(), text.size(), code);
    while (!code && used < text.size() && std::string_view(" \t\r\n").find(text[used]) != std::string_view::npos) {
        ++used;
    }
    if (code || used < text.size()) {
        const std::string reason = code ? code.message() : "there is text after the end";
        return input_problem(std::string(subject) + " is not JSON at byte " + std::to_string(used) + ": " + reason);
    }
    return parser.handler().take();
}

}  // namespace tenon
