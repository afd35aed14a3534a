// SPDX-License-Identifier: Apache-2.0
// The functions of NVIDIA's driver that are used here, found in libcuda when a run names a CUDA device. Nothing links
// libcuda, and no header of the CUDA Toolkit is needed: these signatures have been the driver's ABI since CUDA 12.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error/result.hpp"

namespace tenon::driver {

using Code = int;       // CUresult
using Address = void*;  // CUdeviceptr, a number of 64 bits

inline constexpr Code kOutOfMemory = 2;
inline constexpr Code kUnavailable = 46;
inline constexpr Code kNotReady = 600;
inline constexpr int kLargeClusters = 14;  // attribute of a function: clusters of more than 8 blocks
inline constexpr int kUnits = 16;          // attributes of a device
inline constexpr int kMajor = 75;
inline constexpr int kMinor = 76;
inline constexpr int kVersion = 13000;  // the oldest driver that loads what nvcc 13 compiles

struct Functions {
    Code (*init)(unsigned flags);
    Code (*driver_version)(int* version);
    Code (*device_count)(int* count);
    Code (*device_get)(int* device, int ordinal);
    Code (*device_name)(char* name, int bytes, int device);
    Code (*device_attribute)(int* value, int attribute, int device);
    Code (*device_bus)(char* address, int bytes, int device);
    Code (*retain)(void** context, int device);
    Code (*release)(int device);
    Code (*set_current)(void* context);
    Code (*stream_create)(void** stream, unsigned flags);
    Code (*stream_destroy)(void* stream);
    Code (*stream_wait)(void* stream);
    Code (*stream_query)(void* stream);
    Code (*mem_alloc)(Address* memory, std::size_t bytes);
    Code (*mem_free)(Address memory);
    Code (*mem_info)(std::size_t* free, std::size_t* total);
    Code (*mem_set)(Address memory, unsigned char value, std::size_t bytes, void* stream);
    Code (*to_device)(Address to, const void* from, std::size_t bytes, void* stream);
    Code (*to_host)(void* to, Address from, std::size_t bytes, void* stream);
    Code (*host_alloc)(void** memory, std::size_t bytes, unsigned flags);
    Code (*host_free)(void* memory);
    Code (*module_load)(void** module, const void* image);
    Code (*module_drop)(void* module);
    Code (*module_function)(void** function, void* module, const char* name);
    Code (*function_set)(void* function, int attribute, int value);
    Code (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void* stream, void** arguments, void** extra);
    Code (*capture_begin)(void* stream, int mode);
    Code (*capture_end)(void* stream, void** graph);
    Code (*graph_make)(void** executable, void* graph, unsigned long long flags);
    Code (*graph_launch)(void* executable, void* stream);
    Code (*graph_drop)(void* executable);
    Code (*graph_source_drop)(void* graph);
    Code (*error_name)(Code code, const char** name);
};

// Finds and initialises the driver. The problem says that there is none, that it is too old, or that it does not start.
Result<Functions> find();

// "CUDA_ERROR_ILLEGAL_ADDRESS"
std::string name_of(const Functions& functions, Code code);

}  // namespace tenon::driver
