// SPDX-License-Identifier: Apache-2.0
// The first bytes of the memory that a host shares with a worker: one request at a time and its answer. Each side waits
// for the other's number, spinning for as long as a short call takes and asleep after that.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tenon/abi/types.h"

namespace tenon {

enum class WorkerCall : std::uint32_t {
    kFeed = 1,  // more bytes of the next request
    kFetch,     // more bytes of the latest answer, from args[0] on
    kLoad,
    kCreate,
    kDescribe,
    kBind,
    kReset,
    kStep,
    kApply,
    kInvert,
    kAct,
    kGather,
    kSave,
    kLoadState,
    kSaveCommon,
    kLoadCommon,
    kEnd,
};

// Zeros to begin with. What the other side writes is not to be trusted: read once, then looked at.
struct Mailbox {
    static constexpr std::size_t kText = 4096;
    static constexpr std::size_t kBytes = std::size_t{1} << 16U;

    std::atomic<std::uint32_t> request{0};  // the number of the latest one
    std::atomic<std::uint32_t> reply{0};    // of the latest one that has been answered
    std::uint32_t call = 0;
    std::int32_t status = 0;
    std::array<std::uint64_t, 8> args{};
    std::uint64_t size = 0;   // of `bytes`
    std::uint64_t total = 0;  // of the whole answer
    std::uint64_t text_size = 0;
    std::array<char, kText> text{};  // of set_error
    std::array<std::byte, kBytes> bytes{};
};

// Sets the number and wakes whoever waits for it.
void announce(std::atomic<std::uint32_t>& number, std::uint32_t value);

// Until the number is `value`; false where it has not been so for `seconds`. Other processes may set it.
bool await(const std::atomic<std::uint32_t>& number, std::uint32_t value, double seconds);

}  // namespace tenon
