// SPDX-License-Identifier: Apache-2.0
#include "commands/check/chunked_state.hpp"

#include <algorithm>
#include <cstring>

namespace tenon {
namespace {

// Odd sizes that differ from call to call.
constexpr std::size_t kPieces[] = {1, 3, 7, 2, 13, 5};

tn_status append(void* ctx, const void* bytes, std::uint64_t size) {
    auto& state = *static_cast<ChunkedState*>(ctx);
    const auto* const from = static_cast<const std::byte*>(bytes);
    state.data.insert(state.data.end(), from, from + size);
    return TN_OK;
}

tn_status take(void* ctx, void* bytes, std::uint64_t size, std::uint64_t* got) {
    auto& state = *static_cast<ChunkedState*>(ctx);
    if (state.at >= state.fails_at) {
        *got = 0;
        return TN_DATA_LOSS;
    }
    const std::size_t piece = kPieces[state.at % std::size(kPieces)];
    *got = std::min<std::uint64_t>({size, piece, state.left()});
    if (*got > 0) {
        std::memcpy(bytes, state.data.data() + state.at, *got);
    }
    state.at += *got;
    return TN_OK;
}

}  // namespace

tn_writer ChunkedState::writer() {
    return {.struct_size = sizeof(tn_writer), .flags = 0, .ctx = this, .write = append};
}

tn_reader ChunkedState::reader() {
    return {.struct_size = sizeof(tn_reader), .flags = 0, .ctx = this, .read = take};
}

}  // namespace tenon
