// SPDX-License-Identifier: Apache-2.0
// Nodes that are not kernels of the table: columns, random numbers, fused nodes, scans.
#include <algorithm>

#include <ATen/ops/all.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "compute/graph/draw.hpp"
#include "engines/torch/align.hpp"
#include "engines/torch/evaluator.hpp"
#include "engines/torch/placement.hpp"

namespace tenon::reference {

using graph::Dim;
using graph::NodeId;
using graph::ValueId;

at::Tensor Evaluator::read_port(std::size_t port, const graph::Type& type, const Call& call) const {
    const void* memory = call.inputs[port];
    if (memory == nullptr) {
        TORCH_CHECK(false, "the column '", inputs_[port].key, "' was not given");
    }
    const std::vector<std::int64_t> sizes = shape(type, call.sizes);
    const at::ScalarType stored = scalar_type(inputs_[port].dtype);
    if (given_ != nullptr) {
        const std::size_t bytes = static_cast<std::size_t>(c10::multiply_integers(sizes)) * at::elementSize(stored);
        const auto fill = [port, bytes](const Call& now, std::byte* to) {
            std::copy_n(static_cast<const std::byte*>(now.inputs[port]), bytes, to);
        };
        return given_->next(sizes, stored, fill, call).to(scalar_type(type.kind, real_));
    }
    // libtorch has no read-only tensors, but none of our kernels writes to its inputs
    const at::Tensor column = at::from_blob(const_cast<void*>(memory), sizes, at::TensorOptions(stored));
    return moved(column, place_).to(scalar_type(type.kind, real_));
}

namespace {

// The random numbers of a node, for all members and steps.
struct Drawing {
    graph::Draw draw;
    bool normal;
    bool by_row;
    std::uint64_t members;
    std::uint64_t steps;

    template <class Real>
    void fill(const Call& call, Real* data) const {
        graph::Draw now = draw;
        now.counter = call.random.counter;
        now.first_row = by_row ? call.random.first_row : 0;
        for (std::uint64_t member = 0; member < members; ++member) {
            now.member = draw.member * members + member;
            for (std::uint64_t t = 0; t < steps; ++t) {
                now.time = draw.time + t;
                normal ? graph::draw_normal(now, data) : graph::draw_uniform(now, data);
                data += now.rows * now.width;
            }
        }
    }
    void fill(at::ScalarType real, const Call& call, void* data) const {
        real == at::kDouble ? fill(call, static_cast<double*>(data)) : fill(call, static_cast<float*>(data));
    }
};

}  // namespace

at::Tensor Evaluator::draw(const Step& step, const graph::Type& type, const Call& call) const {
    if (step.fed_by >= 0) {
        return read_port(static_cast<std::size_t>(step.fed_by), type, call);
    }
    Drawing drawing{.draw = {.key = step.key,
                             .counter = 0,
                             .first_row = 0,
                             .rows = 1,
                             .width = 1,
                             .member = static_cast<std::uint64_t>(made_step_),
                             .time = static_cast<std::uint64_t>(time_)},
                    .normal = step.source == Source::kNormal,
                    .by_row = type.has(graph::kRows) || type.has(graph::kLanes),
                    .members = 1,
                    .steps = 1};
    for (const Dim dim : type.dims) {
        const auto size = static_cast<std::uint64_t>(size_of_dim(dim, call.sizes));
        if (graph::is_derived(dim)) {
            drawing.members *= size;
        } else if (dim == graph::kTime) {
            drawing.steps = size;
        } else {
            (dim < 0 ? drawing.draw.rows : drawing.draw.width) *= size;
        }
    }
    if (given_ != nullptr) {
        const auto fill = [drawing, real = real_](const Call& now, std::byte* to) { drawing.fill(real, now, to); };
        return given_->next(shape(type, call.sizes), real_, fill, call);
    }
    at::Tensor out = at::empty(shape(type, call.sizes), at::TensorOptions(real_));
    drawing.fill(real_, call, out.mutable_data_ptr());
    return moved(out, place_);
}

void Evaluator::fused(const Step& step) {
    std::vector<at::Tensor> inputs;
    for (const Operand& operand : step.operands) {
        inputs.push_back(values_[operand.value]);
    }
    std::vector<at::Tensor> outputs = step.fused->run(std::move(inputs));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        values_[step.out + static_cast<ValueId>(i)] = std::move(outputs[i]);
    }
}

void Evaluator::set_arguments(const graph::Region& region, std::int64_t time) {
    for (std::size_t i = static_cast<std::size_t>(region.carries); i < region.inputs.size(); ++i) {
        const ValueId outside = region.arguments[i];
        values_[region.inputs[i]] = values_[outside].select(position_of(graph_.type(outside), region.steps), time);
    }
    if (region.reset < 0) {
        return;
    }
    const ValueId reset = region.inputs[static_cast<std::size_t>(region.reset)];
    for (std::size_t i = 0; i < static_cast<std::size_t>(region.carries); ++i) {
        at::Tensor& carry = values_[region.inputs[i]];
        const graph::Type& type = graph_.type(region.inputs[i]);
        at::Tensor mask = fill_gaps(values_[reset], gaps(graph_.type(reset).dims, type.symbols()));
        for (std::size_t s = 0; s < type.sizes().size(); ++s) {
            mask = mask.unsqueeze(-1);
        }
        carry = at::where(mask, at::zeros({}, carry.options()), carry);
    }
}

// Random nodes directly in the body of a scan, drawn for all of its steps at once.
std::vector<Evaluator::Drawn> Evaluator::draw_steps(std::size_t number, const Call& call) {
    std::vector<Drawn> out;
    const graph::Dim steps = graph_.regions[number].steps;
    for (const NodeId node : bodies_[number]) {
        const Step& step = steps_[node];
        if (step.source == Source::kUniform || step.source == Source::kNormal) {
            const graph::Type type = graph::over_steps(step.frame.out, steps);
            out.push_back({node, draw(step, type, call), position_of(type, steps)});
        }
    }
    return out;
}

namespace {

// Whether no step changes a result after the last row is done: no value is carried on without rows.
bool ends_with_all_rows(const graph::Graph& graph, const graph::Region& region) {
    if (region.ends < 0) {
        return false;
    }
    const auto flags = graph.type(region.inputs[static_cast<std::size_t>(region.ends)]).symbols();
    return std::all_of(region.inputs.begin(), region.inputs.begin() + region.carries, [&](ValueId carried) {
        return std::ranges::all_of(flags, [&](Dim row) { return graph.type(carried).has(row); });
    });
}

}  // namespace

void Evaluator::scan(const Step& step, const Call& call) {
    const graph::Region& region = graph_.regions[step.index];
    const auto carries = static_cast<std::size_t>(region.carries);
    const bool over_time = region.steps == graph::kTime;
    const std::int64_t outer_time = time_;
    const std::int64_t outer_step = made_step_;
    const std::int64_t count = size_of_dim(region.steps, call.sizes);
    for (std::size_t i = 0; i < carries; ++i) {
        values_[region.inputs[i]] = values_[region.arguments[i]];
    }
    const std::vector<NodeId>& watched = watched_[step.index];
    const auto steps = static_cast<std::size_t>(count);
    const std::vector<Drawn> drawn = draw_steps(step.index, call);
    std::vector<std::vector<at::Tensor>> results(region.results.size(), std::vector<at::Tensor>(steps));
    std::vector<std::vector<at::Tensor>> seen(watched.size(), std::vector<at::Tensor>(steps));
    const bool may_end = watched.empty() && given_ == nullptr && ends_with_all_rows(graph_, region);
    bool ended = false;
    for (std::size_t i = 0; i < steps; ++i) {
        const std::size_t now = region.backward ? steps - 1 - i : i;
        const auto t = static_cast<std::int64_t>(now);
        (over_time ? time_ : made_step_) = (over_time ? outer_time : outer_step) * count + t;
        set_arguments(region, t);
        auto ready = drawn.begin();
        for (const NodeId node : bodies_[step.index]) {
            if (ready != drawn.end() && ready->node == node) {
                values_[steps_[node].out] = ready->numbers.select(ready->along, t);
                ++ready;
            } else {
                compute(node, call);
            }
        }
        for (std::size_t k = 0; k < results.size(); ++k) {
            results[k][now] = values_[region.results[k]];
        }
        for (std::size_t k = 0; k < seen.size(); ++k) {
            const auto value = graph::int_attribute(graph_.nodes[watched[k]], "value");
            seen[k][now] = values_[static_cast<std::size_t>(value)];
        }
        for (std::size_t k = 0; k < carries; ++k) {
            values_[region.inputs[k]] = results[k][now];
        }
        if (ended) {  // this step has computed what rows give that are done
            for (std::size_t later = i + 1; later < steps; ++later) {
                for (std::vector<at::Tensor>& each : results) {
                    each[region.backward ? steps - 1 - later : later] = each[now];
                }
            }
            break;
        }
        ended = may_end && results[static_cast<std::size_t>(region.ends)][now].all().item<bool>();
    }
    time_ = outer_time;
    made_step_ = outer_step;
    current_ = step.node;
    const auto put_together = [&](ValueId out, const std::vector<at::Tensor>& each) {
        values_[out] = at::stack(each, position_of(graph_.type(out), region.steps));
    };
    for (std::size_t k = 0; k < results.size(); ++k) {
        put_together(step.out + static_cast<ValueId>(k), results[k]);
    }
    for (std::size_t k = 0; k < seen.size(); ++k) {
        put_together(steps_[watched[k]].out, seen[k]);
    }
    for (const ValueId input : region.inputs) {
        values_[input].reset();
    }
    for (const NodeId node : bodies_[step.index]) {
        if (!persists_[steps_[node].out] && steps_[node].source != Source::kLeaf) {
            values_[steps_[node].out].reset();
        }
    }
}

}  // namespace tenon::reference
