// SPDX-License-Identifier: Apache-2.0
#include "train/learn/prefetch.hpp"

#include <utility>

namespace tenon {

void Prefetch::begin(Prepare prepare, void* self, std::uint64_t counter) {
    settle();
    prepare_ = prepare;
    self_ = self;
    counter_ = counter;
    prepared_.reset();
    runs_ = true;
    companion_.begin([](void* me) { static_cast<Prefetch*>(me)->run(); }, this);
}

void Prefetch::run() {
    prepared_.emplace(prepare_(self_, counter_));
}

void Prefetch::settle() {
    if (std::exchange(runs_, false)) {
        companion_.wait();
    }
}

std::optional<Result<Sizes>> Prefetch::take(std::uint64_t counter) {
    settle();
    std::optional<Result<Sizes>> out;
    if (prepared_ && counter_ == counter) {
        out.swap(prepared_);
    }
    prepared_.reset();
    return out;
}

}  // namespace tenon
