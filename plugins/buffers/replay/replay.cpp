// SPDX-License-Identifier: Apache-2.0
#include "hindsight.hpp"
#include "prioritised.hpp"
#include "prioritised_slices.hpp"
#include "slices.hpp"
#include "uniform.hpp"

TENON_PLUGIN("replay", "0.1.0", tenon::sampler<Uniform>("uniform", "every complete transition is equally likely"),
             tenon::sampler<Prioritised>("prioritised", "rows with a larger error are drawn more often"),
             tenon::sampler<PrioritisedSlices>("prioritised_slices",
                                               "sequences with larger errors are drawn more often (R2D2)"),
             tenon::sampler<Slices>("slices", "sequences of steps from one episode"),
             tenon::sampler<Hindsight>("hindsight", "uniform, with goals that the episode reached later"));
