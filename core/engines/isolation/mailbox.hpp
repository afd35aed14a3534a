// SPDX-License-Identifier: Apache-2.0
// The beginning of the memory that a host shares with a worker: one request at a time and its answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engines/process/bell.hpp"

namespace tenon {

enum class WorkerCall : std::uint32_t {
    kFeed = 1,  // more bytes of the next request
    kFetch,     // more bytes of the latest answer, from args[0] on
    kTry,       // loads a file and unloads it, to see whether the process survives
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

// Initially zeros. Data from the other side is not trusted: it is read once and then checked.
struct Mailbox {
    static constexpr std::size_t kText = 4096;
    static constexpr std::size_t kFunction = 128;
    static constexpr std::size_t kBytes = std::size_t{1} << 16U;

    Bell request;  // the number of the latest request
    Bell reply;    // the number of the latest answered request
    std::uint32_t call = 0;
    std::int32_t status = 0;
    std::array<std::uint64_t, 8> args{};
    std::uint64_t size = 0;   // of `bytes`
    std::uint64_t total = 0;  // of the whole answer
    std::uint64_t text_size = 0;
    std::array<char, kText> text{};          // of set_error
    std::array<char, kFunction> function{};  // of kTry: the current call, or the one in which the process ended
    std::array<std::byte, kBytes> bytes{};
};

}  // namespace tenon
