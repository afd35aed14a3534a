// SPDX-License-Identifier: Apache-2.0
// The kernels of stored frames for both kinds of devices.
#include <iterator>

#include "engines/cuda/frames/images.hpp"
#include "engines/cuda/frames/kernels.cu"

#ifdef TENON_KERNELS_FILE
// Embeds the bytes of the file that nvcc has made. Only the assembler can do this.
// NOLINTBEGIN(portability-no-assembler,readability-identifier-naming)
asm(".pushsection .rodata\n.balign 64\ntenon_frame_kernels:\n.incbin \"" TENON_KERNELS_FILE
    "\"\n.byte 0\n.popsection\n");
extern "C" __attribute__((visibility("hidden"))) const unsigned char tenon_frame_kernels[];
// NOLINTEND(portability-no-assembler,readability-identifier-naming)
#endif

namespace tenon::frames {
namespace {

constexpr tn_emulated_kernel kEmulated[] = {emulated::kernel<&tenon_keep>("tenon_keep"),
                                            emulated::kernel<&tenon_move>("tenon_move"),
                                            emulated::kernel<&tenon_take>("tenon_take")};

constexpr tn_emulated_image kImage = {
    .struct_size = sizeof(tn_emulated_image), .count = std::size(kEmulated), .kernels = kEmulated};

}  // namespace

const void* emulated_image() {
    return &kImage;
}

const void* image_for_cuda() {
#ifdef TENON_KERNELS_FILE
    return tenon_frame_kernels;
#else
    return nullptr;
#endif
}

}  // namespace tenon::frames
