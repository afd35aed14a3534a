// SPDX-License-Identifier: Apache-2.0
// The gradients that an update leaves in the slabs, held against central differences of the losses it reports.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "assembly.hpp"

namespace tenon::test {

// Parameters one after the other, without the gaps between them; of a gradient or moment slab the trainable ones.
std::vector<double> numbers(const Network& network, const Slab& slab);
void set_numbers(const Network& network, const Slab& slab, std::span<const double> numbers);

// The sum of a stage's losses.
double loss_of(const Assembly& assembly, const Outcome& outcome, std::string_view stage);

// Central differences of the stage's loss by the live trainable parameters of one network. The assembly's learning
// rates must be 0 and its targets must stand still.
std::vector<double> differences(Assembly& assembly, const FilledBatch& batch, std::string_view stage,
                                std::string_view role, Moment moment = {});

struct GradientCheck {
    double worst = 0;    // relative to the element, or to a hundredth of the network's largest where it is below that
    double largest = 0;  // magnitude of an element
    double smallest_network = 0;  // the largest magnitude of an element of the network where that is smallest
};

// Every stage by every network that it owns.
GradientCheck check_gradients(Assembly& assembly, const FilledBatch& batch, Moment moment = {});

}  // namespace tenon::test
