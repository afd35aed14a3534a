// SPDX-License-Identifier: Apache-2.0
// Loads the kernels of a plugin on either kind of device, CUDA or emulated. The plugin's kernels.cpp says which
// kernels there are; CMake's tenon_add_kernels compiles it together with what nvcc has made of kernels.cu:
//
//     #include "kernels.cu"
//     #include "tenon/device_image.hpp"
//
//     TENON_KERNELS(load_walk, "walk", TENON_EMULATED_ENV(walk));  // void* load_walk(const tn_device& device)
//
// or, for a kernel of your own, tenon::emulated::kernel<&draw>("draw"). The function loads them on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tenon/abi/device.h"
#include "tenon/device_memory.hpp"
#include "tenon/emulated.hpp"
#include "tenon/guard.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// `image`: for CUDA; null if the plugin was built without nvcc.
inline void* load_kernels(const tn_device& device, const tn_emulated_image& emulated, const void* image,
                          const char* plugin) {
    const void* given = &emulated;
    if (device.device_type == TN_DEVICE_CUDA) {
        if (image == nullptr) {
            throw Unavailable(std::string(plugin) +
                              " was built where there was no nvcc, so it has no kernels for a GPU");
        }
        given = image;
    } else if (device.device_type != TN_DEVICE_EMULATED) {
        throw Unavailable(std::string(plugin) + " has kernels for CUDA only");
    }
    void* module = nullptr;
    require_device(device.load(device.ctx, given, &module));
    return module;
}

}  // namespace TENON_SDK
}  // namespace tenon

#ifdef TENON_KERNELS_FILE
// What nvcc has made, as it is in its file. Only an assembler can include one.
#define TENON_KERNELS_OF_FILE(function)                                                           \
    asm(".pushsection .rodata\n.balign 64\n" #function "_of_file:\n.incbin \"" TENON_KERNELS_FILE \
        "\"\n.byte 0\n.popsection\n");                                                            \
    extern "C" __attribute__((visibility("hidden"))) const unsigned char function##_of_file[];
#define TENON_KERNELS_FROM(function) function##_of_file
#else
#define TENON_KERNELS_OF_FILE(function)
#define TENON_KERNELS_FROM(function) nullptr
#endif

#define TENON_EMULATED_ENV(name) \
    tenon::emulated::kernel<&name##_reset>(#name "_reset"), tenon::emulated::kernel<&name##_step>(#name "_step")

// NOLINTBEGIN: the assembler, and names that are made here
#define TENON_KERNELS(function, plugin, ...)                                                      \
    TENON_KERNELS_OF_FILE(function)                                                               \
    void* function(const tn_device& device) {                                                     \
        static constexpr tn_emulated_kernel kKernels[] = {__VA_ARGS__};                           \
        static constexpr tn_emulated_image kImage = {.struct_size = sizeof(tn_emulated_image),    \
                                                     .count = sizeof kKernels / sizeof *kKernels, \
                                                     .kernels = kKernels};                        \
        return tenon::load_kernels(device, kImage, TENON_KERNELS_FROM(function), plugin);         \
    }                                                                                             \
    static_assert(true)
// NOLINTEND
