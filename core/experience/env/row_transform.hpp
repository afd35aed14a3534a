// SPDX-License-Identifier: Apache-2.0
// Applies a transform that is a procedure to the rows of a minibatch instead of the lanes of an env. Each row is a lane
// whose episode begins with the row's observation, takes one step and does not end. The transform changes only the
// columns that it names, in place. Its draws are functions of the minibatch and the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "experience/replay/callee.hpp"
#include "tenon/abi/random.h"
#include "tenon/abi/transform.h"

namespace tenon {

// The memory of a column's rows: for an observation both before and after the step, `apart` bytes from each other; for
// a reward after the step.
struct RowMemory {
    std::byte* rows = nullptr;
    std::size_t apart = 0;
    bool here = false;  // whether anything reads these rows; if not, they are zeros
    bool after = false;
};

class RowTransform {
public:
    // Describes the columns `keys` of the env. A transform that cannot work on rows is a problem: one of actions, one
    // that changes a spec's type or shape, or one that keeps state between steps. A borrowed instance must outlive it.
    static Result<RowTransform> make(Callee<tn_transform_api> transform, const std::vector<std::string>& keys,
                                     const Composite& specs, std::uint32_t rows);
    static Result<RowTransform> make(Instance transform, const std::vector<std::string>& keys, const Composite& specs,
                                     std::uint32_t rows);
    RowTransform(RowTransform&&) noexcept;
    RowTransform& operator=(RowTransform&&) noexcept;
    ~RowTransform();

    // The columns of the env that it changes.
    [[nodiscard]] std::span<const Spec> columns() const;

    // Gives the memory of each of its columns, for at most as many rows as make was given; it must not move.
    Status bind(std::span<const RowMemory> memory);

    // Changes the first rows of the minibatch with this number. Does not allocate or lock without failures.
    Status apply(std::uint32_t rows, tn_key key, std::uint64_t number);

private:
    struct State;
    explicit RowTransform(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;  // on the heap, because the plugin keeps addresses inside it
};

}  // namespace tenon
