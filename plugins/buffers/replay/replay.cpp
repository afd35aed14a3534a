// SPDX-License-Identifier: Apache-2.0
#include "uniform.hpp"

TENON_PLUGIN("replay", "0.1.0", tenon::sampler<Uniform>("uniform", "every complete transition is equally likely"));
