// SPDX-License-Identifier: Apache-2.0
#include "shared/http/shared_room.hpp"

#include <algorithm>

namespace tenon {

std::unique_ptr<ConnectionPlaces::Place> ConnectionPlaces::take(std::function<void()> close) {
    std::function<void()> close_other;
    std::unique_lock lock(mutex_);
    if (taken_.size() >= most_) {
        const auto oldest = std::ranges::find_if(taken_, [](const auto& each) { return each.second != nullptr; });
        if (oldest == taken_.end()) {
            return nullptr;
        }
        close_other = std::move(oldest->second);
        taken_.erase(oldest);
    }
    const std::uint64_t number = next_++;
    taken_.emplace(number, std::move(close));
    lock.unlock();
    if (close_other) {
        close_other();
    }
    return std::make_unique<Place>(*this, number);
}

void ConnectionPlaces::Place::keep() const {
    const std::scoped_lock lock(all_.mutex_);
    if (const auto found = all_.taken_.find(number_); found != all_.taken_.end()) {
        found->second = nullptr;
    }
}

ConnectionPlaces::Place::~Place() {
    const std::scoped_lock lock(all_.mutex_);
    all_.taken_.erase(number_);
}

bool BodyShare::grow_to(std::uint64_t bytes) {
    if (bytes <= bytes_) {
        return true;
    }
    const std::uint64_t more = bytes - bytes_;
    std::uint64_t taken = all_->taken.load();
    do {
        if (more > all_->most - taken) {
            return false;
        }
    } while (!all_->taken.compare_exchange_weak(taken, taken + more));
    bytes_ = bytes;
    return true;
}

void BodyShare::end() {
    if (bytes_ > 0) {
        all_->taken -= std::exchange(bytes_, 0);
    }
}

}  // namespace tenon
