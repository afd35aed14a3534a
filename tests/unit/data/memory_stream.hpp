// SPDX-License-Identifier: Apache-2.0
// A writer and a reader of the ABI over memory, with faults to order.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "tenon/abi/state.h"

namespace tenon::test {

struct MemoryStream {
    std::vector<std::byte> data;
    std::size_t at = 0;
    std::size_t most = ~std::size_t{0};  // bytes that a read gives at a time
    std::size_t room = ~std::size_t{0};  // bytes that can be written

    tn_writer writer() { return {.struct_size = sizeof(tn_writer), .flags = 0, .ctx = this, .write = write}; }
    tn_reader reader() { return {.struct_size = sizeof(tn_reader), .flags = 0, .ctx = this, .read = read}; }

private:
    static tn_status write(void* ctx, const void* bytes, std::uint64_t size) {
        auto& self = *static_cast<MemoryStream*>(ctx);
        if (self.data.size() + size > self.room) {
            return TN_UNAVAILABLE;
        }
        const auto* const from = static_cast<const std::byte*>(bytes);
        self.data.insert(self.data.end(), from, from + size);
        return TN_OK;
    }

    static tn_status read(void* ctx, void* bytes, std::uint64_t size, std::uint64_t* got) {
        auto& self = *static_cast<MemoryStream*>(ctx);
        *got = std::min({size, self.data.size() - self.at, self.most});
        if (*got > 0) {
            std::memcpy(bytes, self.data.data() + self.at, *got);
        }
        self.at += *got;
        return TN_OK;
    }
};

}  // namespace tenon::test
