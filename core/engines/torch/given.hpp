// SPDX-License-Identifier: Apache-2.0
// Data of a call for a program on a device: columns, numbers, random numbers. In the first call each is copied when a
// node asks for it, and the requests are recorded. From the second call on, one copy brings all of them to fixed
// memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace tenon::reference {

class Given {
public:
    // Writes the values of a call.
    using Fill = std::function<void(const Call& call, std::byte* to)>;

    explicit Given(at::Device place) : place_(place) {}

    // Call these before and after the nodes of a call.
    void begin(const Call& call);
    void end() { is_noted_ = true; }

    // The next data. Each call must ask for the same in the same order.
    at::Tensor next(std::vector<std::int64_t> shape, at::ScalarType type, Fill fill, const Call& call);
    // The number of requests so far; setting it back repeats the later ones.
    [[nodiscard]] std::size_t asked() const { return asked_; }
    void rewind(std::size_t asked) { asked_ = asked; }

private:
    struct Item {
        std::vector<std::int64_t> shape;
        at::ScalarType type;
        Fill fill;
        std::size_t at;  // in the block
        std::size_t bytes;
    };

    void lay_out();

    at::Device place_;
    bool is_noted_ = false;
    std::size_t asked_ = 0;
    std::size_t end_ = 0;
    std::vector<Item> items_;
    at::Tensor staged_;  // on the host
    at::Tensor block_;   // on the device
    std::vector<at::Tensor> views_;
};

}  // namespace tenon::reference
