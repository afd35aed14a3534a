// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/frames/launches.hpp"

#include <algorithm>
#include <iterator>

#include "base/device/own_kernels.hpp"
#include "engines/cuda/frames/images.hpp"

namespace tenon::frames {

Result<Kernels> load_kernels(Device& device) {
    static constexpr const char* kNames[] = {"tenon_keep", "tenon_move", "tenon_take"};
    static_assert(std::size(kNames) == static_cast<std::size_t>(Kernel::kCount));
    Kernels out;
    const bool emulated = device.table.device_type == TN_DEVICE_EMULATED;
    const void* const image = emulated ? emulated_image() : image_for_cuda();
    TENON_TRY(find_own_kernels(device, image, kNames, "frames", out.of));
    return out;
}

// An emulated thread costs a microsecond, so there are only as many as show a mistake in a kernel's use of threads.
Status launch_rows(Device& device, const Kernels& kernels, Kernel kernel, std::uint64_t rows, void* work) {
    const bool emulated = device.table.device_type == TN_DEVICE_EMULATED;
    const std::uint32_t threads = emulated ? 2 : 256;
    const std::uint64_t most = emulated ? 2 : 4096;
    const std::uint64_t blocks = std::clamp<std::uint64_t>((rows + threads - 1) / threads, 1, most);
    return launch_own(device, kernels.of[static_cast<std::size_t>(kernel)], static_cast<std::uint32_t>(blocks), threads,
                      work);
}

}  // namespace tenon::frames
