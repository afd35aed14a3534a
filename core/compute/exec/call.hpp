// SPDX-License-Identifier: Apache-2.0
// The arguments of one run of a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "base/profile/profile.hpp"

namespace tenon {

class Exchange;

struct Sizes {
    std::int64_t rows = 0;
    std::int64_t time = 0;
    std::int64_t lanes = 0;
};

// The numbers of a run that its programs read.
struct RunNumbers {
    std::span<const double> live = {};  // live values
    double frames = 0;
    double updates = 0;
    double progress = 0;           // 0 .. 1
    bool same_parameters = false;  // no parameter has changed since the program's previous call
};

// What random nodes draw from, with the seed of the program.
struct RandomSource {
    std::uint64_t counter = 0;
    std::uint64_t first_row = 0;  // global number of row (or lane) 0
};

// Dry runs change neither parameters nor states.
enum class StepMode : std::uint8_t {
    kStep,
    kDryGradients,
    kDryTerms,  // without gradients
};

// The part of a step that a minibatch is. Several minibatches may form one step, which uses their mean gradient.
struct StepPart {
    bool first = true;
    bool last = true;
    StepMode mode = StepMode::kStep;

    [[nodiscard]] bool is_dry() const { return mode != StepMode::kStep; }
    [[nodiscard]] bool has_gradients() const { return mode != StepMode::kDryTerms; }
};

// Where the numbers of a run go. Empty: they are not wanted.
struct Results {
    std::span<double> losses = {};          // of an update: one per Graph::losses, after reduction; NaN if not computed
    std::span<double> metrics = {};         // one per Graph::metrics
    std::span<double> gradient_norms = {};  // of an update: one per stage, before clipping; NaN if it did not step
    std::span<double> controls = {};        // one per Graph::controls
    // For an update: one address per stage, to which its gradients are copied (stage_step.hpp); null: they are not
    // copied.
    std::span<void* const> gradients = {};
    // For Computed::settle: where outputs go that are written later, in the order of ProgramSpec::outputs.
    std::span<void* const> outputs = {};
};

// What an update may do instead of telling its results, or their problem, at once.
enum class Leeway : std::uint8_t {
    kNone,
    // Losses, metrics and norms may be reported by a later Computed::settle. A problem with them is then reported later
    // as well, when other updates have followed.
    kLater,
    // A minibatch whose losses or gradients are not finite may be skipped as by kSkipUpdate; Computed::left_out says
    // why. Only supported if no parameter is read after a stage.
    kLeaveOut,
};

// For calls that may take long: asked from time to time whether to give up the call, as long as nothing has changed but
// the memory of outputs and gradients. `given_up`: the call was given up. An executor need not support it.
struct GiveUp {
    bool (*asked)() noexcept = nullptr;
    bool given_up = false;
};

// For outputs that a loop makes element by element: the loop has the output's name, and its first result are the
// elements. `told` gets those of each step as soon as they are computed, a number a row. An executor need not support
// it.
struct Watch {
    std::function<void(std::string_view loop, std::int64_t step, std::span<const double> rows)> told;
};

// All memory is the caller's, and the program keeps no reference to it.
struct Call {
    Sizes sizes = {};
    std::span<const void* const> inputs = {};  // in the order of ProgramSpec::inputs; null: the column's default
    std::span<void* const> outputs = {};       // in the order of ProgramSpec::outputs; null: not wanted
    RunNumbers numbers = {};
    RandomSource random = {};
    StepPart part = {};  // this and the next two: of an update
    Leeway leeway = Leeway::kNone;
    Results results = {};
    GiveUp* give_up = nullptr;
    // Of a program whose inputs are on a device: a word in the device's memory that becomes 1 if an index is out of
    // range. Null: the phase itself reports such an index at its end.
    std::uint32_t* fault = nullptr;
    const Watch* watch = nullptr;
    Profile* profile = nullptr;    // gets the time of phases and of steps; null: it is not measured
    Exchange* exchange = nullptr;  // with the processes that make the same step; null: this one makes it alone
};

// The same inputs for a program that only writes columns.
inline Call for_columns(const Call& call, std::span<void* const> outputs) {
    return {.sizes = call.sizes,
            .inputs = call.inputs,
            .outputs = outputs,
            .numbers = call.numbers,
            .random = call.random,
            .part = call.part,
            .fault = call.fault,
            .profile = call.profile};
}

}  // namespace tenon
