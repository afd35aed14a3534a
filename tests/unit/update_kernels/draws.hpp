// SPDX-License-Identifier: Apache-2.0
// Random numbers.
#pragma once

#include <memory>
#include <utility>

#include "unit/update_kernels/on_device.hpp"

namespace on_device {

// The same numbers as on the CPU, of every kind of random node.
inline void try_draws(const std::shared_ptr<Device>& device) {
    for (const bool normal : {false, true}) {
        for (const bool by_row : {false, true}) {
            CAPTURE(normal, by_row);
            Case at;
            at.counter = 41;
            at.first_row = 9;
            Op op{.code = Code::kDraw, .kind = Kind::kReal, .in = {}, .out = at.result(Kind::kReal, {2, 3, 7, 5})};
            op.draw.key = {.seed = 3, .stream = 0x123456789ABCDEF0U};
            op.draw.rows = 7;
            op.draw.width = 5;
            op.members = 2;
            op.steps = 3;
            op.normal = normal;
            op.by_row = by_row;
            const View out = op.out;
            at.add(std::move(op));
            at.see(out, Kind::kReal);
            at.run(device);
        }
    }
}

}  // namespace on_device
