// SPDX-License-Identifier: Apache-2.0
#include "prioritised.hpp"
#include "slices.hpp"
#include "uniform.hpp"

TENON_PLUGIN("replay_cuda", "0.1.0",
             tenon::sampler<UniformOnDevice>("uniform", "replay/uniform on a device: the same rows"),
             tenon::sampler<SlicesOnDevice>("slices", "replay/slices on a device: the same sequences"),
             tenon::sampler<PrioritisedOnDevice>("prioritised",
                                                 "replay/prioritised on a device: the same rows and weights"));
