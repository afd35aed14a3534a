// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "base/device/device.hpp"

namespace tenon {
namespace {

constexpr std::string_view kCuda = "cuda";

// The number of "cuda" or "cuda:N"; negative: neither.
int cuda_number(std::string_view name) {
    if (name == kCuda) {
        return 0;
    }
    if (!name.starts_with("cuda:")) {
        return -1;
    }
    const std::string_view digits = name.substr(kCuda.size() + 1);
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

}  // namespace

bool is_device(std::string_view name) {
    return name == "emulated" || cuda_number(name) >= 0;
}

Result<std::shared_ptr<Device>> open_device(std::string_view name, JitWhen jit) {
    if (!is_device(name)) {
        const std::string meant =  // a GPU is not nearly a CPU
            did_you_mean(name.starts_with("gpu") ? kCuda : name, {"cpu", kCuda, "emulated"});
        return input_problem("'" + std::string(name) + "' is not a device; there are cpu, cuda, cuda:N and emulated" +
                             meant);
    }
    Result<std::shared_ptr<Device>> device =
        name == "emulated" ? Result<std::shared_ptr<Device>>(open_emulated()) : open_cuda(cuda_number(name), jit);
    if (device) {
        (*device)->name = name;
        (*device)->jit = jit;
    }
    return device;
}

Result<std::shared_ptr<Device>> open_device_or_cpu(std::string_view name, JitWhen jit) {
    return name == "cpu" ? Result<std::shared_ptr<Device>>(nullptr) : open_device(name, jit);
}

}  // namespace tenon
