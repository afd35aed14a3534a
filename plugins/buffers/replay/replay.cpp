// SPDX-License-Identifier: Apache-2.0
#include "best.hpp"
#include "by_column.hpp"
#include "hindsight.hpp"
#include "prioritised.hpp"
#include "prioritised_slices.hpp"
#include "recent.hpp"
#include "slices.hpp"
#include "trajectories.hpp"
#include "uniform.hpp"
#include "windows.hpp"
#include "without_replacement.hpp"

TENON_PLUGIN("replay", "0.1.0", tenon::sampler<Uniform>("uniform", "every complete transition is equally likely"),
             tenon::sampler<Prioritised>("prioritised", "rows with a larger error are drawn more often"),
             tenon::sampler<PrioritisedSlices>("prioritised_slices",
                                               "sequences with larger errors are drawn more often (R2D2)"),
             tenon::sampler<Slices>("slices", "sequences of steps from one episode"),
             tenon::sampler<Trajectories>("trajectories", "whole episodes, padded or cut"),
             tenon::sampler<WithoutReplacement>("without_replacement", "each transition once in a pass, or consumed"),
             tenon::sampler<Recent>("recent", "transitions that have been collected lately are drawn more often"),
             tenon::sampler<ByColumn>("by_column", "rows with a larger number in a column are drawn more often"),
             tenon::sampler<Best>("best", "frames of the episodes with the highest returns"),
             tenon::sampler<Windows>("windows", "frames with the steps of their episode before and after them"),
             tenon::sampler<Hindsight>("hindsight", "uniform, with goals that were reached at other steps"));
