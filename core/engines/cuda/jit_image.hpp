// SPDX-License-Identifier: Apache-2.0
// Kernels that are compiled at run time, in another thread. Until they are ready, the kernels that come with the
// program are used.
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/device/device.hpp"
#include "base/error/result.hpp"

namespace tenon::compiled::device {

class JitImage {
public:
    // The text has this number of kernels, with the names of jit_name.
    JitImage(std::shared_ptr<Device> device, std::string text, std::size_t kernels);
    JitImage(const JitImage&) = delete;
    JitImage& operator=(const JitImage&) = delete;
    // Stops the compiler if it is still running.
    ~JitImage();

    [[nodiscard]] bool is_compiling() const;
    // Waits until the kernels are compiled. The problem is what the compiler or the device says.
    const Status& wait();
    // Null if compiling failed. Call wait first.
    [[nodiscard]] void* kernel(std::size_t number) const { return kernels_[number]; }

private:
    Status load(Result<std::shared_ptr<const void>> image);

    std::shared_ptr<Device> device_;
    std::atomic<bool> stop_ = false;
    std::future<Result<std::shared_ptr<const void>>> image_;
    Status status_;
    std::shared_ptr<const void> held_;
    void* module_ = nullptr;
    std::vector<void*> kernels_;
};

}  // namespace tenon::compiled::device
