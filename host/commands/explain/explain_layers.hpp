// SPDX-License-Identifier: Apache-2.0
// The layers of networks that read images, with their input and output sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

struct Wiring;

struct ExplainedLayer {
    std::string network;
    std::string name;  // of its parameters, "0"; empty if it has none
    std::string op;    // "conv2d"
    std::vector<std::int64_t> reads;
    std::vector<std::int64_t> gives;

    bool operator==(const ExplainedLayer&) const = default;
};

// In the order of computation; none for networks without convolutions. Requires a complete wiring.
std::vector<ExplainedLayer> layers_of(const Wiring& wiring);

}  // namespace tenon
