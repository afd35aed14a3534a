// SPDX-License-Identifier: Apache-2.0
#include "experience/env/row_transform.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/data/column_table.hpp"
#include "base/data/flags.hpp"
#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/data/state_bytes.hpp"
#include "experience/env/describe.hpp"

namespace tenon {
namespace {

constexpr const char* kAdvice = "list it in [[env.transforms]]";

Problem refusal(const Callee<tn_transform_api>& transform, const std::string& why) {
    return input_problem(transform.name + " " + why, transform.place, kAdvice);
}

// The specs of these columns, which must be observations or rewards.
Result<Composite> columns_of(const Callee<tn_transform_api>& transform, const std::vector<std::string>& keys,
                             const Composite& specs) {
    Composite out;
    const auto known = mapped<std::string_view>(specs.specs, &Spec::key);
    if (keys.empty()) {
        return refusal(transform,
                       "cannot change sampled rows: it has no option 'column' or 'columns' that says which ones");
    }
    for (const std::string& key : keys) {
        const Spec* const spec = specs.find(key);
        if (spec == nullptr) {
            return input_problem(
                transform.name + " changes the column '" + key + "', which does not exist" + did_you_mean(key, known),
                transform.place);
        }
        if (spec->role != Role::kObservation && spec->role != Role::kReward) {
            return refusal(transform, "changes '" + key +
                                          "', but sampled rows keep what is neither an observation nor " +
                                          "a reward, such as the action that was taken");
        }
        out.specs.push_back(*spec);
    }
    return out;
}

Status check_specs(const Callee<tn_transform_api>& transform, const Composite& inner) {
    const Composite outer = TENON_TRY(transformed(transform, inner));
    const auto changes = [&](const Spec& spec) {
        const Spec* const after = outer.find(spec.key);
        return after == nullptr || after->dtype != spec.dtype || after->shape != spec.shape;
    };
    const auto changed = std::ranges::find_if(inner.specs, changes);
    if (changed != inner.specs.end()) {
        const Spec* const after = outer.find(changed->key);
        const auto type = [](const Spec& spec) {
            return std::string(name_of(spec.dtype)) + " " + to_string(spec.shape);
        };
        const std::string what =
            after == nullptr ? "removes '" + changed->key + "'"
                             : "makes " + type(*after) + " of '" + changed->key + "', which is " + type(*changed);
        return refusal(transform, what + ", but in sampled rows a column keeps its name, type and shape");
    }
    if (outer.specs.size() != inner.specs.size()) {
        return refusal(transform, "adds the column '" + outer.specs.back().key +
                                      "', but the columns of sampled rows are those that are stored");
    }
    return {};
}

// Whether the transform draws random numbers, so that each row needs a seed.
bool draws(const Callee<tn_transform_api>& transform) {
    return (transform.api->flags & TN_TRANSFORM_DRAWS) != 0;
}

// Rows come from any step of any episode, so a transform that keeps state between steps cannot work on them.
Status check_keeps_nothing(const Callee<tn_transform_api>& transform) {
    StateBytes bytes;
    if (transform.state != nullptr && !draws(transform)) {
        const tn_writer writer = bytes.writer();
        TENON_TRY(transform.call("save", transform.state->save, 0U, 1U, &writer));
    }
    if (transform.state == nullptr || transform.common != nullptr || !bytes.data.empty()) {
        return refusal(transform, "keeps something from step to step, but sampled rows are from any steps");
    }
    return {};
}

}  // namespace

struct RowTransform::State {
    State(Callee<tn_transform_api> of, std::uint32_t lanes)
        : transform(std::move(of)), rows(lanes), begun(lanes, 1), ends(lanes, 0) {
        seeds.resize(draws(transform) ? lanes : 0);
    }

    std::optional<Instance> instance;
    Callee<tn_transform_api> transform;
    std::uint32_t rows;
    Composite specs;
    std::vector<RowMemory> memory;  // as specs
    ColumnTable columns;
    tn_transform_buffers buffers{};
    std::vector<std::uint8_t> begun;   // the mask of a reset: all rows
    std::vector<std::uint8_t> ends;    // flags of the step, all 0
    std::vector<std::uint64_t> seeds;  // of the rows; none if the transform draws nothing

    Status run(std::int32_t event, std::uint32_t count);
    void clear(bool after, std::uint32_t count);
};

RowTransform::RowTransform(std::unique_ptr<State> state) : state_(std::move(state)) {}
RowTransform::RowTransform(RowTransform&&) noexcept = default;
RowTransform& RowTransform::operator=(RowTransform&&) noexcept = default;
RowTransform::~RowTransform() = default;

std::span<const Spec> RowTransform::columns() const {
    return state_->specs.specs;
}

Result<RowTransform> RowTransform::make(Instance transform, const std::vector<std::string>& keys,
                                        const Composite& specs, std::uint32_t rows) {
    RowTransform out = TENON_TRY(make(Callee<tn_transform_api>::of(transform, "tenon.transform/1"), keys, specs, rows));
    out.state_->instance.emplace(std::move(transform));
    return out;
}

Result<RowTransform> RowTransform::make(Callee<tn_transform_api> transform, const std::vector<std::string>& keys,
                                        const Composite& specs, std::uint32_t rows) {
    auto state = std::make_unique<State>(std::move(transform), rows);
    state->specs = TENON_TRY(columns_of(state->transform, keys, specs));
    TENON_TRY(check_specs(state->transform, state->specs));
    TENON_TRY(check_keeps_nothing(state->transform));
    return RowTransform(std::move(state));
}

Status RowTransform::bind(std::span<const RowMemory> memory) {
    State& state = *state_;
    ColumnTable columns;
    state.memory.assign(memory.begin(), memory.end());
    // Slot 0 is the row's own step, slot 1 the one after it.
    const auto add = [&](const std::string& key, std::byte* data, const Spec& spec, std::size_t apart) {
        View view = dense(data, spec.dtype, join(Shape{2, state.rows}, spec.shape));
        view.strides[0] = static_cast<std::int64_t>(apart / size_of(spec.dtype));
        columns.add(key, view);
    };
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const Spec& spec = state.specs.specs[i];
        add(spec.key, memory[i].rows, spec, memory[i].apart);
        if (spec.role == Role::kObservation) {  // the final one, if a step ended an episode
            add(next_key(spec.key), memory[i].rows + memory[i].apart, spec, 0);
        }
    }
    for (const char* const flag : {"terminated", "truncated"}) {
        View view = dense(state.ends.data(), DType::kBool, Shape{2, state.rows});
        view.strides[0] = 0;
        columns.add(flag, view);
    }
    const ColumnTable before = std::exchange(state.columns, std::move(columns));
    state.buffers = {.struct_size = sizeof(tn_transform_buffers),
                     .flags = 0,
                     .slots = 2,
                     .lanes = state.rows,
                     .inner = state.columns.data(),
                     .inner_count = state.columns.size(),
                     .outer = state.columns.data(),
                     .outer_count = state.columns.size()};
    return state.transform.call("bind", state.transform.api->bind, &std::as_const(state.buffers));
}

Status RowTransform::State::run(std::int32_t event, std::uint32_t count) {
    const bool steps = event == TN_TRANSFORM_STEP;
    const tn_transform_call call = {.struct_size = sizeof call,
                                    .event = event,
                                    .slot = 0,
                                    .next_slot = steps ? 1U : 0U,
                                    .first = 0,
                                    .count = count,
                                    .mask = steps ? nullptr : begun.data(),
                                    .seeds = steps || seeds.empty() ? nullptr : seeds.data()};
    clear(steps, count);
    TENON_TRY(transform.call("apply", transform.api->apply, &call));
    if (any_set(ends)) {
        std::ranges::fill(ends, std::uint8_t{0});
        return refusal(transform, "ends episodes, but sampled rows are steps that have been taken");
    }
    return {};
}

// Sets the rows that nothing reads to zeros: they are transformed with the others.
void RowTransform::State::clear(bool after, std::uint32_t count) {
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const RowMemory& of = memory[i];
        if (after ? !of.after : of.apart > 0 && !of.here) {
            const std::size_t bytes =
                static_cast<std::size_t>(specs.specs[i].shape.elements()) * size_of(specs.specs[i].dtype);
            std::memset(of.rows + (after ? of.apart : 0), 0, bytes * count);
        }
    }
}

Status RowTransform::apply(std::uint32_t rows, tn_key key, std::uint64_t number) {
    State& state = *state_;
    const std::size_t seeded = std::min<std::size_t>(rows, state.seeds.size());
    for (std::size_t row = 0; row < seeded; ++row) {
        const tn_random_block block = tn_philox(key, number << 32U | row);
        state.seeds[row] = std::uint64_t{block.word[0]} << 32U | block.word[1];
    }
    if (seeded > 0 || std::ranges::any_of(state.memory, &RowMemory::here)) {
        TENON_TRY(state.run(TN_TRANSFORM_RESET, rows));
    }
    return std::ranges::any_of(state.memory, &RowMemory::after) ? state.run(TN_TRANSFORM_STEP, rows) : Status();
}

}  // namespace tenon
