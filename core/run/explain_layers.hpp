// SPDX-License-Identifier: Apache-2.0
// The layers of networks that read images: what each makes of the sizes that it is given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

struct Wiring;

struct ExplainedLayer {
    std::string network;
    std::string name;  // of its parameters, "0"; empty: it has none
    std::string op;    // "conv2d"
    std::vector<std::int64_t> reads;
    std::vector<std::int64_t> gives;

    bool operator==(const ExplainedLayer&) const = default;
};

// In the order in which they are computed; none of networks without filters. The wiring is complete.
std::vector<ExplainedLayer> layers_of(const Wiring& wiring);

}  // namespace tenon
