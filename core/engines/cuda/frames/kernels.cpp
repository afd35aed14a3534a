// SPDX-License-Identifier: Apache-2.0
// The kernels for both kinds of devices, and how many threads they get.
#include "experience/replay/device_kernels.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/device/own_kernels.hpp"
#include "engines/cuda/frames/kernels.cu"

#ifdef TENON_KERNELS_FILE
// What nvcc has made, as it is in its file. Only an assembler can include one.
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
static_assert(std::size(kEmulated) == static_cast<std::size_t>(Kernel::kCount));

constexpr tn_emulated_image kImage = {
    .struct_size = sizeof(tn_emulated_image), .count = std::size(kEmulated), .kernels = kEmulated};

const void* image_for_cuda() {
#ifdef TENON_KERNELS_FILE
    return tenon_frame_kernels;
#else
    return nullptr;
#endif
}

}  // namespace

Result<Kernels> load_kernels(Device& device) {
    Kernels out;
    Status found = find_own_kernels(device, kImage, image_for_cuda(), "frames", out.of);
    if (!found) {
        return std::move(found).error();
    }
    return out;
}

// An emulated thread costs a microsecond, so there are just enough of them for a mistake to show.
Status launch_rows(Device& device, const Kernels& kernels, Kernel kernel, std::uint64_t rows, void* work) {
    const bool emulated = device.table.device_type == TN_DEVICE_EMULATED;
    const std::uint32_t threads = emulated ? 2 : 256;
    const std::uint64_t most = emulated ? 2 : 4096;
    const std::uint64_t blocks = std::clamp<std::uint64_t>((rows + threads - 1) / threads, 1, most);
    return launch_own(device, kernels.of[static_cast<std::size_t>(kernel)], static_cast<std::uint32_t>(blocks), threads,
                      work);
}

}  // namespace tenon::frames
