// SPDX-License-Identifier: Apache-2.0
// Decides which runs and loops get kernels that are compiled for them at run time (Device::jit). A compiler takes
// seconds, so only what has been used many times is compiled, in another thread. Results have the same bits before and
// after. If kernels cannot be compiled, Device::say is called once with the reason, and the kernels that come with the
// program are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/device/device.hpp"
#include "base/error/result.hpp"
#include "engines/cuda/jit_image.hpp"
#include "engines/cuda/tables.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

class Jit {
public:
    explicit Jit(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    struct Run {
        std::uint64_t uses = 0;
        std::shared_ptr<JitImage> image;
    };

    // Both count a use, and return the compiled kernel, or null while there is none. On a device that always wants
    // kernels, the problem is why there is none.
    Result<void*> use(Run& run, std::span<const RunStep> steps, std::span<const TableCopy> tables);
    Result<void*> use(const LoopWork& loop, std::span<const TableCopy> tables);

    // Drops loops whose places are in a table that is freed.
    void forget_loops(const TableCopy& table);

private:
    // A loop with separate launches.
    struct Loop {
        LoopWork work{};
        std::uint64_t uses = 0;
        std::shared_ptr<JitImage> image;
        std::size_t number = 0;  // of its kernel in the image
    };

    [[nodiscard]] bool is_due(std::uint64_t uses) const;
    std::shared_ptr<JitImage> compile(std::string text, std::size_t kernels);
    void compile_loops(std::span<const TableCopy> tables);
    Result<void*> kernel_of(JitImage* image, std::size_t number);

    std::shared_ptr<Device> device_;
    std::vector<Loop> loops_;
    std::weak_ptr<JitImage> last_;  // one at a time, because the run needs the processor's cores
};

}  // namespace tenon::compiled::device
