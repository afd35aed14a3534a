// SPDX-License-Identifier: Apache-2.0
// The functions of NVIDIA's library for communication between GPUs (NCCL) that are used here, found when shards learn
// on GPUs. Nothing links it, and no header of it is needed: these signatures have been its ABI since version 2.14.
// Tests link emulated devices by another library with the same functions.
#pragma once

#include <climits>
#include <cstddef>
#include <string>

#include "base/error/result.hpp"

namespace tenon::nccl {

using Code = int;      // ncclResult_t
using Comm = void*;    // ncclComm_t
using Stream = void*;  // cudaStream_t, which is the driver's CUstream

inline constexpr Code kSuccess = 0;
inline constexpr Code kInProgress = 7;
inline constexpr int kFloat32 = 7;  // ncclDataType_t
inline constexpr int kSum = 0;      // ncclRedOp_t

struct UniqueId {
    char internal[128];
};

// ncclConfig_t as of version 2.14, by which later versions complete it. Calls that would wait for other processes
// return kInProgress instead, and async_error says when they are through.
struct Config {
    std::size_t size = sizeof(Config);
    unsigned magic = 0xcafebeef;
    unsigned version = 21400;
    int blocking = 0;
    int unused = INT_MIN;  // NCCL_CONFIG_UNDEF_INT
};

struct Functions {
    Code (*version)(int* version);
    Code (*unique_id)(UniqueId* id);
    Code (*init)(Comm* comm, int count, UniqueId id, int rank, Config* config);
    Code (*async_error)(Comm comm, Code* code);
    Code (*finalize)(Comm comm);
    Code (*destroy)(Comm comm);
    Code (*abort)(Comm comm);
    Code (*group_start)();
    Code (*group_end)();
    Code (*send)(const void* from, std::size_t count, int type, int peer, Comm comm, Stream stream);
    Code (*receive)(void* to, std::size_t count, int type, int peer, Comm comm, Stream stream);
    Code (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation, Comm comm,
                       Stream stream);
    const char* (*error_text)(Code code);
};

// The problem: this machine has no NCCL, or TENON_NCCL is "off". Emulated devices need a library that it names.
Result<Functions> functions(bool is_emulated = false);

// "NCCL 2.32.3"
Result<std::string> find();

}  // namespace tenon::nccl
