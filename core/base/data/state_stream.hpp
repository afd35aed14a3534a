// SPDX-License-Identifier: Apache-2.0
// Numbers, texts and memory through the ABI's writer and reader. All saved state uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error/result.hpp"
#include "tenon/abi/state.h"

namespace tenon {

// After the first failure, later writes do nothing, so callers check status() once at the end.
class StateSink {
public:
    explicit StateSink(const tn_writer& writer) : writer_(&writer) {}

    void bytes(const void* data, std::uint64_t size);
    void text(std::string_view value);
    template <class T>
        requires std::is_arithmetic_v<T>
    void number(T value) {
        bytes(&value, sizeof value);
    }
    [[nodiscard]] Status status(std::string_view what) const;
    [[nodiscard]] tn_status failure() const { return failure_; }  // of the failed write, or TN_OK

private:
    const tn_writer* writer_;
    tn_status failure_ = TN_OK;
};

// After the first failure every read returns zeros.
class StateSource {
public:
    explicit StateSource(const tn_reader& reader) : reader_(&reader) {}

    void bytes(void* data, std::uint64_t size);
    std::string text();  // at most 64 KiB
    template <class T>
        requires std::is_arithmetic_v<T>
    T number() {
        T value{};
        bytes(&value, sizeof value);
        return value;
    }
    // A byte count followed by the bytes. Memory grows with the bytes that are read, so a corrupt count allocates
    // nothing.
    bool blob(std::vector<std::byte>& out);
    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] Status status(std::string_view what) const;

private:
    const tn_reader* reader_;
    bool failed_ = false;
};

}  // namespace tenon
