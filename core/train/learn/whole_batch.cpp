// SPDX-License-Identifier: Apache-2.0
#include "train/learn/whole_batch.hpp"

#include <cstring>
#include "base/data/mapped.hpp"

namespace tenon {

Result<WholeBatch> WholeBatch::make(const BuiltProgram& built, std::string_view reader, std::uint64_t seed,
                                    std::uint32_t most_steps, Executor& executor, Learner& learner,
                                    const Storage& storage, const DeviceRing* ring) {
    WholeBatch out;
    out.slots_ = storage.slots();
    out.most_steps_ = most_steps;
    out.inputs_.resize(built.inputs.size());
    out.outputs_.resize(built.outputs.size());
    if (ring != nullptr) {
        TENON_TRY(out.point_at_device(built, reader, storage, *ring));
    } else {
        const auto keys = mapped<std::string>(built.inputs, &Port::key);
        out.rollout_.emplace(TENON_TRY(Rollout::make(storage, keys, reader, most_steps)));
    }
    ProgramSpec spec = built.spec(seed);
    spec.residence = ring != nullptr ? Residence::kDevice : Residence::kHost;
    spec.varying = built.varies ? Varying{.size = &Sizes::time, .most = most_steps} : Varying{};
    out.program_ = TENON_TRY(brought_in(executor.forward(spec, learner), built.place));
    out.place_ = built.place;
    out.sizes_ = {.rows = 0, .time = most_steps, .lanes = storage.lanes()};
    for (const Port& port : ring != nullptr ? std::span<const Port>() : std::span<const Port>(built.outputs)) {
        Output& output = out.written_.emplace_back();
        if (const StorageColumn* const column = storage.find(port.key); column != nullptr) {
            output = {.rows = static_cast<std::byte*>(column->view.data),
                      .slot_bytes = row_bytes(*column) * storage.lanes()};
        }
    }
    out.metrics_.resize(built.graph.metrics.size());
    return out;
}

// A batch that begins at slot 0 is read and written in place, in the ring. For another batch, a kernel copies the
// columns.
Status WholeBatch::point_at_device(const BuiltProgram& built, std::string_view reader, const Storage& storage,
                                   const DeviceRing& ring) {
    const SamplerPlan all{.sampler = "the collected batch", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < built.inputs.size(); ++i) {
        const std::string& key = built.inputs[i].key;
        ReaderColumn column = TENON_TRY(resolve(storage, key, reader));
        if (column.reading == Reading::kAtSlot) {
            inputs_[i] = ring.rows(column.column->key);
        } else {
            keys.push_back(key);
        }
    }
    on_device_ = TENON_TRY(ring.make_gather(all, keys, reader, most_steps_ * storage.lanes()));
    for (std::size_t i = 0, next = 0; i < built.inputs.size(); ++i) {
        if (inputs_[i] == nullptr) {
            inputs_[i] = on_device_->columns()[next++];
        }
    }
    for (std::size_t i = 0; i < built.outputs.size(); ++i) {
        outputs_[i] = ring.rows(built.outputs[i].key);
    }
    return {};
}

// Where the ring wraps around, the columns are written to separate memory first.
Status WholeBatch::point_outputs(std::uint32_t first, std::uint32_t steps) {
    const bool wraps = std::uint64_t{first} + steps > slots_;
    for (std::size_t i = 0; i < written_.size(); ++i) {
        Output& output = written_[i];
        if (!wraps || output.rows == nullptr) {
            outputs_[i] = output.rows == nullptr ? nullptr : output.rows + first * output.slot_bytes;
            continue;
        }
        if (output.apart.empty()) {
            output.apart = TENON_TRY(Slab::make(std::size_t{most_steps_} * output.slot_bytes));
        }
        outputs_[i] = output.apart.data();
    }
    return {};
}

void WholeBatch::put_back(std::uint32_t first, std::uint32_t steps) {
    const std::uint32_t before = slots_ - first;
    for (const Output& output : written_) {
        if (output.rows != nullptr && before < steps) {
            const auto* const apart = static_cast<const std::byte*>(output.apart.data());
            std::memcpy(output.rows + first * output.slot_bytes, apart, before * output.slot_bytes);
            std::memcpy(output.rows, apart + before * output.slot_bytes, (steps - before) * output.slot_bytes);
        }
    }
}

Status WholeBatch::run(std::uint32_t first, std::uint32_t steps, const RunNumbers& numbers, std::uint64_t counter,
                       GiveUp* give_up) {
    sizes_.time = steps;
    if (on_device_ != nullptr) {
        if (!on_device_->ports().empty()) {
            TENON_TRY(on_device_->gather_all(steps * static_cast<std::uint32_t>(sizes_.lanes)));
        }
        return compute(numbers, counter, give_up);
    }
    rollout_->assemble(first, steps);
    TENON_TRY(point_outputs(first, steps));
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        inputs_[i] = rollout_->views()[i].data;
    }
    Status done = compute(numbers, counter, give_up);
    put_back(first, steps);
    return done;
}

Status WholeBatch::compute(const RunNumbers& numbers, std::uint64_t counter, GiveUp* give_up) {
    TENON_TRY(brought_in(program_->run({.sizes = sizes_,
                                        .inputs = inputs_,
                                        .outputs = outputs_,
                                        .numbers = numbers,
                                        .random = {.counter = counter},
                                        .results = {.metrics = metrics_},
                                        .give_up = give_up}),
                         place_));
    return {};
}

}  // namespace tenon
