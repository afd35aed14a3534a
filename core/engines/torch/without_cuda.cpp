// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/on_cuda.hpp"

namespace tenon::reference {

struct OnStream::Inner {};

const char* lacks_cuda() {
    return "the libtorch that this program was built with has no CUDA (-DTENON_LIBTORCH=DIR takes another, see "
           "docs/cuda.md)";
}

OnStream::OnStream(const Device* /*device*/) {}
OnStream::~OnStream() = default;

std::unique_ptr<Recording> Recording::make(const Device& /*device*/) {
    return nullptr;
}

}  // namespace tenon::reference
