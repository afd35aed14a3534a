// SPDX-License-Identifier: Apache-2.0
#include "base/device/own_kernels.hpp"

#include <cstddef>
#include <utility>

namespace tenon {

Status told(Device& device, tn_status status) {
    return status == TN_OK ? Status() : Status(environment_problem(std::exchange(device.error, {})));
}

Status find_own_kernels(Device& device, const void* image, std::span<const char* const> names, const std::string& what,
                        std::span<void*> kernels) {
    const tn_device& table = device.table;
    if (image == nullptr) {
        return environment_problem(
            "this program was built where there was no nvcc, so it has no kernels of " + what + " for a GPU", {},
            "set run.learn_on = \"cpu\"");
    }
    void* module = nullptr;
    TENON_TRY(told(device, table.load(table.ctx, image, &module)));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        TENON_TRY(told(device, table.kernel(table.ctx, module, names[i], &kernels[i])));
    }
    return {};
}

Status launch_own(Device& device, void* kernel, std::uint32_t blocks, std::uint32_t threads, void* work) {
    const std::uint32_t grid[3] = {blocks, 1, 1};
    const std::uint32_t block[3] = {threads, 1, 1};
    void* const arguments[] = {work};
    return told(device, device.stream.launch(&device.stream, kernel, grid, block, arguments));
}

}  // namespace tenon
