// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include "prioritised.cuh"

#ifdef REPLAY_CUDA_IMAGE
// What nvcc has made of kernels.cu, as it is in its file. Only an assembler can include one.
// NOLINTNEXTLINE(portability-no-assembler)
asm(".pushsection .rodata\n"
    ".balign 64\n"
    ".hidden replay_cuda_image\n"
    ".global replay_cuda_image\n"
    "replay_cuda_image:\n"
    ".incbin \"" REPLAY_CUDA_IMAGE
    "\"\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const unsigned char replay_cuda_image[];  // NOLINT(readability-identifier-naming): the label above
#endif

namespace {

constexpr tn_emulated_kernel kEmulated[] = {
    tenon::emulated::kernel<&replay_add_up>("replay_add_up"),
    tenon::emulated::kernel<&replay_draw_uniform>("replay_draw_uniform"),
    tenon::emulated::kernel<&replay_follow>("replay_follow"),
    tenon::emulated::kernel<&replay_draw_prioritised>("replay_draw_prioritised"),
    tenon::emulated::kernel<&replay_prioritise>("replay_prioritise"),
    tenon::emulated::kernel<&replay_rebuild>("replay_rebuild"),
};
constexpr tn_emulated_image kEmulatedImage = {
    .struct_size = sizeof(tn_emulated_image), .count = std::size(kEmulated), .kernels = kEmulated};

}  // namespace

void* load_kernels(const tn_device& device) {
    const void* image = &kEmulatedImage;
    if (device.device_type == TN_DEVICE_CUDA) {
#ifdef REPLAY_CUDA_IMAGE
        image = replay_cuda_image;
#else
        throw tenon::Unavailable("replay_cuda was built where there was no nvcc, so it has no kernels for a GPU");
#endif
    } else if (device.device_type != TN_DEVICE_EMULATED) {
        throw tenon::Unavailable("replay_cuda has kernels for CUDA only");
    }
    void* module = nullptr;
    tenon::require_device(device.load(device.ctx, image, &module));
    return module;
}
