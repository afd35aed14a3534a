// SPDX-License-Identifier: Apache-2.0
// Reads JSON from front to back into the caller's memory, without building a tree, because a request has thousands of
// numbers. The depth is limited, and text that is not JSON fails. After a failure every call fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

class JsonCursor {
public:
    explicit JsonCursor(std::string_view text) : text_(text) {}

    // The first character of the next value: '{', '[', '"', 'n' for null, 't' or 'f', '-' or a digit; 0: no value is
    // left.
    char peek();
    // The number of arrays that begin here, each as the first element of the one before it. Reads nothing.
    [[nodiscard]] std::uint32_t nesting() const;

    // while (cursor.next_element()) reads one value each time; the same with keys of an object.
    bool enter_array() { return enter('['); }
    bool next_element() { return next(']'); }
    bool enter_object() { return enter('{'); }
    std::optional<std::string> next_key();

    std::optional<std::string> text();
    // The digits as they are, so that the caller chooses the type. NaN, Infinity and -Infinity are numbers here,
    // because Python writes them.
    std::optional<std::string_view> number();
    std::optional<bool> boolean();
    // Skips a value of any type.
    void skip();

    // Whether everything was JSON, up to the end.
    [[nodiscard]] bool complete();
    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] std::size_t at() const { return at_; }

private:
    static constexpr std::size_t kMaxDepth = 32;

    bool fail();
    void skip_space();
    bool enter(char open);
    bool next(char close);
    bool literal(std::string_view word);
    bool escape(std::string& out);
    std::optional<std::uint32_t> four_digits();

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    std::array<bool, kMaxDepth> first_{};  // by depth: nothing of it has been read
    bool failed_ = false;
};

}  // namespace tenon
