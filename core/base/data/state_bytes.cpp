// SPDX-License-Identifier: Apache-2.0
#include "base/data/state_bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>

namespace tenon {
namespace {

tn_status append(void* ctx, const void* bytes, std::uint64_t size) {
    auto& data = static_cast<StateBytes*>(ctx)->data;
    const auto* const from = static_cast<const std::byte*>(bytes);
    try {
        data.insert(data.end(), from, from + size);
    } catch (const std::exception&) {  // bad_alloc, length_error: the plugin's frames must not see them
        return TN_OUT_OF_MEMORY;
    }
    return TN_OK;
}

tn_status take(void* ctx, void* bytes, std::uint64_t size, std::uint64_t* got) {
    auto& from = *static_cast<StateBytes*>(ctx);
    *got = std::min<std::uint64_t>(size, from.data.size() - from.at);
    if (*got > 0) {
        std::memcpy(bytes, from.data.data() + from.at, *got);
    }
    from.at += *got;
    return TN_OK;
}

}  // namespace

tn_writer StateBytes::writer() {
    return {.struct_size = sizeof(tn_writer), .flags = 0, .ctx = this, .write = append};
}

tn_reader StateBytes::reader() {
    return {.struct_size = sizeof(tn_reader), .flags = 0, .ctx = this, .read = take};
}

}  // namespace tenon
