// SPDX-License-Identifier: Apache-2.0
// A descriptor of this process alone. What it stands for, such as a lock, belongs to all processes that have the
// descriptor, and a process that a plugin has forked would keep it for as long as it lives.
#pragma once

#include <utility>

namespace tenon {

class PrivateDescriptor {
public:
    PrivateDescriptor() = default;
    // Takes over an open one, which closes itself with exec (O_CLOEXEC). In forked processes its number means
    // /dev/null. -1: none.
    explicit PrivateDescriptor(int number);
    PrivateDescriptor(PrivateDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    PrivateDescriptor& operator=(PrivateDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~PrivateDescriptor();

    [[nodiscard]] int get() const { return number_; }

private:
    int number_ = -1;
};

}  // namespace tenon
