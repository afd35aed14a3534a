// SPDX-License-Identifier: Apache-2.0
// Acting by a program: observations at the storage's head in, actions and what else is stored out, without a copy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/spec.hpp"
#include "env/action_check.hpp"
#include "exec/program.hpp"
#include "replay/storage.hpp"
#include "train/memories.hpp"
#include "train/programs.hpp"
#include "train/run_numbers.hpp"

namespace tenon {

class Actor {
public:
    // The built program must outlive the actor; the storage may be moved, not destroyed.
    // `specs` are the env's columns, after transforms.
    static Result<Actor> make(const BuiltProgram& built, std::uint64_t seed, Executor& executor, Learner& learner,
                              const Storage& storage, const Composite& specs);

    // Writes the actions of all lanes at the storage's head; draws are functions of counter and lane. An action that
    // the env cannot take is the policy's problem, and so is whatever else it writes that is not a finite number.
    Status act(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter);

    // Whether it remembers from step to step, so that no step may be left out.
    [[nodiscard]] bool remembers() const {
        return !memories_.empty() || std::ranges::find(is_later_, true) != is_later_.end();
    }
    [[nodiscard]] std::string_view computed_by() const { return program_->computed_by(); }
    // Those that the storage has no columns for.
    [[nodiscard]] Memories& memories() { return memories_; }

private:
    explicit Actor(std::uint32_t lanes) : memories_(lanes) {}

    [[nodiscard]] std::string fault(const Storage& storage) const;

    std::unique_ptr<Program> program_;
    Place place_;
    std::vector<View> inputs_;       // of the storage; without data: a memory
    std::vector<std::string> keys_;  // of the outputs
    std::vector<View> outputs_;      // as inputs; nor has anybody those that nobody reads
    std::vector<bool> is_later_;     // by output: whether it is of the slot after
    std::vector<const void*> input_rows_;
    std::vector<void*> output_rows_;
    Memories memories_;
    std::vector<double> metrics_;
    std::vector<double> controls_;
    ActionCheck check_;
};

}  // namespace tenon
