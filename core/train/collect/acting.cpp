// SPDX-License-Identifier: Apache-2.0
#include "train/collect/acting.hpp"

namespace tenon {

Acting acting_at(const Wiring& wiring, const Standing& standing, std::span<const double> live, bool same_parameters) {
    Acting out{.numbers = numbers_at(wiring, standing, live),
               .counter = static_cast<std::uint64_t>(standing.steps),
               .randomly = wiring.learns() && standing.frames < wiring.manifest.train.start_frames};
    out.numbers.same_parameters = same_parameters;
    return out;
}

}  // namespace tenon
