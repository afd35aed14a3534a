// SPDX-License-Identifier: Apache-2.0
#include "engines/trust/sample.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "compute/exec/rows.hpp"
#include "compute/graph/drop_effects.hpp"

namespace tenon {
namespace {

using graph::Dim;
using graph::Type;

class Sampling {
public:
    Sampling(const ProgramSpec& spec, const Learner& learner, const Call& call)
        : graph_(*spec.graph), spec_(spec), learner_(learner), sizes_(call.sizes) {
        graph::drop_effects(graph_);
        spec_.name += "-fused";
        spec_.outputs.clear();
        spec_.writes_state = false;
    }

    void ask(const FusedUse& use) {
        for (const graph::ValueId input : graph_.nodes[use.node].inputs) {
            const Type& type = graph_.type(input);
            const Port port{
                .key = "fused." + std::to_string(columns_.size()), .dtype = DType::kF64, .row = Shape(type.sizes())};
            graph_.writes.push_back({port.key, input});
            spec_.outputs.push_back(port);
            columns_.emplace_back(written_count(type, graph_, learner_, sizes_));
        }
    }

    Status compute(Executor& executor, Learner& learner, const Call& call) {
        spec_.graph = &graph_;
        std::unique_ptr<Program> program = TENON_TRY(executor.forward(spec_, learner));
        std::vector<void*> outputs;
        for (std::vector<double>& column : columns_) {
            outputs.push_back(column.data());
        }
        TENON_TRY(program->run(for_columns(call, outputs)));
        return {};
    }

    FusedSample take(const FusedUse& use) {
        const graph::Node& node = graph_.nodes[use.node];
        FusedSample out{.use = use, .shapes = {}, .in = {}, .seen = {}};
        for (const Dim dim : graph::leading_of_fused(graph_, node)) {
            out.shapes.leading.push_back(size(dim));
        }
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const Type& own = graph_.type(node.inputs[i]);
            const Type seen = graph::type_of_fused(graph_, node, i);
            const std::vector<double>& column = columns_[next_++];
            const std::vector<Dim> written = written_dims(own, graph_, sizes_);
            out.in.push_back(arranged(column, written, own.dims));
            out.seen.push_back(arranged(column, written, seen.dims));
            out.shapes.in.push_back({own.kind, shape_of(seen.dims)});
        }
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            out.shapes.out.push_back({graph::Kind::kReal, shape_of(graph_.type(node.first_output + i).dims)});
        }
        return out;
    }

private:
    [[nodiscard]] std::int64_t size(Dim dim) const { return size_of(dim, graph_, learner_, sizes_); }

    [[nodiscard]] std::vector<std::int64_t> shape_of(const std::vector<Dim>& dims) const {
        std::vector<std::int64_t> out;
        for (const Dim dim : dims) {
            out.push_back(size(dim));
        }
        return out;
    }

    [[nodiscard]] std::int64_t count_of(const std::vector<Dim>& dims) const {
        std::int64_t out = 1;
        for (const Dim dim : dims) {
            out *= size(dim);
        }
        return out;
    }

    // Rearranges values between dimensions: broadcasts along missing ones, and drops those along which it is constant.
    [[nodiscard]] std::vector<double> arranged(const std::vector<double>& from, const std::vector<Dim>& have,
                                               const std::vector<Dim>& want) const {
        std::vector<std::int64_t> strides(want.size(), 0);
        std::int64_t stride = 1;
        for (std::size_t i = have.size(); i > 0; --i) {
            const Dim dim = have[i - 1];
            const std::size_t from_right = have.size() - i;
            const std::ptrdiff_t at = dim < 0 ? std::ranges::find(want, dim) - want.begin()
                                              : static_cast<std::ptrdiff_t>(want.size() - 1 - from_right);
            if (at < static_cast<std::ptrdiff_t>(want.size())) {
                strides[static_cast<std::size_t>(at)] = stride;
            }
            stride *= size(dim);
        }
        const std::vector<std::int64_t> shape = shape_of(want);
        std::vector<double> out(static_cast<std::size_t>(count_of(want)));
        for (std::size_t n = 0; n < out.size(); ++n) {
            auto rest = static_cast<std::int64_t>(n);
            std::int64_t place = 0;
            for (std::size_t d = shape.size(); d > 0; --d) {
                place += rest % shape[d - 1] * strides[d - 1];
                rest /= shape[d - 1];
            }
            out[n] = from[static_cast<std::size_t>(place)];
        }
        return out;
    }

    graph::Graph graph_;
    ProgramSpec spec_;
    const Learner& learner_;
    Sizes sizes_;
    std::vector<std::vector<double>> columns_;
    std::size_t next_ = 0;
};

}  // namespace

Result<std::vector<FusedSample>> sample_fused(Executor& executor, const ProgramSpec& spec, Learner& learner,
                                              const Call& call, const std::vector<FusedUse>& uses) {
    Sampling sampling(spec, learner, call);
    for (const FusedUse& use : uses) {
        sampling.ask(use);
    }
    TENON_TRY(sampling.compute(executor, learner, call));
    std::vector<FusedSample> out;
    for (const FusedUse& use : uses) {
        out.push_back(sampling.take(use));
    }
    return out;
}

}  // namespace tenon
