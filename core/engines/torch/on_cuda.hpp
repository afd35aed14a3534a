// SPDX-License-Identifier: Apache-2.0
// libtorch on a GPU: on_cuda.cpp if this was built with a libtorch that has CUDA, otherwise without_cuda.cpp.
#pragma once

#include <memory>

#include "base/device/device.hpp"

namespace tenon::reference {

// Why libtorch cannot compute on GPUs, as a clause; null: it can.
const char* lacks_cuda();

// While it lives, libtorch's work of this thread, and its gradients, use the device's stream and are computed in the
// same way in every run. For another kind of device it does nothing.
class OnStream {
public:
    explicit OnStream(const Device* device);
    OnStream(const OnStream&) = delete;
    OnStream& operator=(const OnStream&) = delete;
    ~OnStream();

private:
    struct Inner;
    std::unique_ptr<Inner> inner_;
};

// Work of libtorch that this thread enqueued once on the device's stream, and that can be enqueued again as one launch,
// with the same memory.
class Recording {
public:
    // Null: this kind of device cannot record.
    static std::unique_ptr<Recording> make(const Device& device);

    Recording() = default;
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    virtual ~Recording() = default;

    // Between begin and end, work is recorded and not computed. It may not wait.
    virtual void begin() = 0;
    virtual void end() = 0;
    // Call it instead of end if recording failed.
    virtual void drop() noexcept = 0;
    virtual void replay() = 0;
};

}  // namespace tenon::reference
