// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/jit_image.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include "base/device/own_kernels.hpp"
#include "engines/cuda/headers.hpp"
#include "engines/cuda/jit_text.hpp"

namespace tenon::compiled::device {

JitImage::JitImage(std::shared_ptr<Device> device, std::string text, std::size_t kernels)
    : device_(std::move(device)), kernels_(kernels) {
    auto compile = [this, text = std::move(text)] { return device_->compile(*device_, text, kernel_headers(), stop_); };
    try {
        image_ = std::async(std::launch::async, std::move(compile));
    } catch (const std::system_error& error) {
        status_ = environment_problem(std::string("no thread can be started that compiles kernels: ") + error.what());
    }
}

JitImage::~JitImage() {
    stop_ = true;
    if (image_.valid()) {
        image_.wait();
    }
    if (module_ != nullptr) {
        device_->unload(device_->table.ctx, module_);
    }
}

bool JitImage::is_compiling() const {
    return image_.valid() && image_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

const Status& JitImage::wait() {
    if (image_.valid()) {
        status_ = load(image_.get());
    }
    return status_;
}

Status JitImage::load(Result<std::shared_ptr<const void>> image) {
    if (!image) {
        return std::move(image).error();
    }
    held_ = std::move(*image);
    const tn_device& table = device_->table;
    std::vector<void*> found(kernels_.size());
    Status done = told(*device_, table.load(table.ctx, held_.get(), &module_));
    for (std::size_t i = 0; i < found.size() && done; ++i) {
        done = told(*device_, table.kernel(table.ctx, module_, jit_name(i).c_str(), &found[i]));
    }
    if (done) {
        kernels_ = std::move(found);
    }
    return done;
}

}  // namespace tenon::compiled::device
