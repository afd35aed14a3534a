// SPDX-License-Identifier: Apache-2.0
#include "engines/trust/trial.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "compute/exec/rows.hpp"
#include "compute/gradient/gradients.hpp"
#include "engines/trust/buffers.hpp"
#include "engines/trust/slopes.hpp"

namespace tenon {
namespace {

using graph::NodeId;
using graph::Type;
using graph::ValueId;

// A separate program: the node and its body on columns, a weighted total of each, and their gradients.
class Attempt {
public:
    Attempt(const graph::Graph& from, const FusedSample& sample)
        : from_(from), sample_(sample), node_(from.nodes[sample.use.node]) {
        out_.symbols = from.symbols;
        out_.sources = from.sources;
        out_.kernels = from.kernels;
        for (std::uint32_t i = 0; i < node_.output_count; ++i) {
            weights_.push_back(column("weight." + std::to_string(i), from.type(node_.first_output + i)));
        }
        for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
            if (!inside_.contains(node_.inputs[i])) {
                inside_[node_.inputs[i]] = column("in." + std::to_string(i), from.type(node_.inputs[i]));
                first_use_.push_back(i);
            }
        }
        kernel_ = copy(sample.use.node);
        const graph::Region& region = from.regions[graph::body_of_fused(from, node_)];
        for (const ValueId result : region.results) {
            reach(result);
            body_.push_back(inside_.at(result));
        }
    }

    // False if the body cannot be differentiated on the graph.
    bool differentiate() {
        std::vector<ValueId> leaves;
        for (const std::size_t i : first_use_) {
            bool wanted = false;
            for (std::size_t j = i; j < node_.inputs.size(); ++j) {
                wanted = wanted || (node_.inputs[j] == node_.inputs[i] && sample_.use.wanted[j]);
            }
            if (wanted) {
                leaves.push_back(inside_.at(node_.inputs[i]));
                inputs_.push_back(i);
            }
        }
        graph::Extension extension(out_);
        const Result<std::vector<ValueId>> ours =
            graph::add_gradients(extension, total(extension, values_of_kernel()), leaves);
        const Result<std::vector<ValueId>> theirs = graph::add_gradients(extension, total(extension, body_), leaves);
        if (!ours || !theirs || !extension.status()) {
            inputs_.clear();
            return false;
        }
        kernel_gradients_ = *ours;
        body_gradients_ = *theirs;
        return true;
    }

    // Nothing if this executor cannot compute the body.
    Result<std::optional<Trial>> compute(Executor& executor, Learner& learner, const Sizes& sizes) {
        ProgramSpec spec{.name = "fused", .graph = &out_, .inputs = {}, .outputs = {}};
        std::vector<FusedShape> shapes;
        std::vector<std::vector<double>> filled;
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            add_input(spec, shapes, "weight." + std::to_string(i), out_.type(weights_[i]), learner, sizes);
            filled.push_back(Slopes::weights(i, count_of(shapes.back().shape)));
        }
        for (const std::size_t i : first_use_) {
            add_input(spec, shapes, "in." + std::to_string(i), from_.type(node_.inputs[i]), learner, sizes);
            filled.push_back(sample_.in[i]);
        }
        Buffers in(shapes, learner.real);
        std::vector<const void*> inputs;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            in.fill(i, filled[i]);
            inputs.push_back(in.data(i));
        }
        Trial trial{.differentiated = false,
                    .inputs = inputs_,
                    .kernel = room(values_of_kernel(), learner, sizes),
                    .body = room(body_, learner, sizes),
                    .kernel_gradients = room(kernel_gradients_, learner, sizes),
                    .body_gradients = room(body_gradients_, learner, sizes)};
        std::vector<void*> outputs;
        ask(values_of_kernel(), trial.kernel, spec, outputs);
        ask(body_, trial.body, spec, outputs);
        ask(kernel_gradients_, trial.kernel_gradients, spec, outputs);
        ask(body_gradients_, trial.body_gradients, spec, outputs);
        Result<std::unique_ptr<Program>> program = executor.forward(spec, learner);
        if (!program) {
            return std::optional<Trial>();
        }
        TENON_TRY((*program)->run({.sizes = sizes, .inputs = inputs, .outputs = outputs}));
        return std::optional(std::move(trial));
    }

private:
    static std::size_t count_of(const std::vector<std::int64_t>& shape) {
        std::size_t out = 1;
        for (const std::int64_t size : shape) {
            out *= static_cast<std::size_t>(size);
        }
        return out;
    }

    void add_input(ProgramSpec& spec, std::vector<FusedShape>& shapes, std::string key, const Type& type,
                   const Learner& learner, const Sizes& sizes) const {
        FusedShape shape{.kind = type.kind, .shape = {}};
        for (const graph::Dim dim : type.dims) {
            shape.shape.push_back(size_of(dim, out_, learner, sizes));
        }
        shapes.push_back(std::move(shape));
        spec.inputs.push_back(
            {.key = std::move(key), .dtype = stored_as(type.kind, learner.real), .row = Shape(type.sizes())});
    }

    [[nodiscard]] std::vector<ValueId> values_of_kernel() const {
        std::vector<ValueId> out;
        for (std::uint32_t i = 0; i < node_.output_count; ++i) {
            out.push_back(kernel_ + i);
        }
        return out;
    }

    // Memory for one column each. A value without a gradient (value 0) has zeros of the input's size.
    [[nodiscard]] std::vector<std::vector<double>> room(const std::vector<ValueId>& values, const Learner& learner,
                                                        const Sizes& sizes) const {
        std::vector<std::vector<double>> out;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Type& type = values[i] == 0 ? from_.type(node_.inputs[inputs_[i]]) : out_.type(values[i]);
            out.emplace_back(written_count(type, out_, learner, sizes));
        }
        return out;
    }

    void ask(const std::vector<ValueId>& values, std::vector<std::vector<double>>& columns, ProgramSpec& spec,
             std::vector<void*>& outputs) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] != 0) {
                const auto sizes = out_.type(values[i]).sizes();
                out_.writes.push_back({std::to_string(out_.writes.size()), values[i]});
                spec.outputs.push_back({.key = out_.writes.back().name, .dtype = DType::kF64, .row = Shape(sizes)});
                outputs.push_back(columns[i].data());
            }
        }
    }

    ValueId add(graph::Node node, const std::vector<Type>& types) {
        const auto id = static_cast<NodeId>(out_.nodes.size());
        node.first_output = static_cast<ValueId>(out_.values.size());
        node.output_count = static_cast<std::uint32_t>(types.size());
        node.region = 0;
        for (std::uint32_t i = 0; i < types.size(); ++i) {
            out_.values.push_back({types[i], id, i});
        }
        out_.nodes.push_back(std::move(node));
        return out_.nodes.back().first_output;
    }

    ValueId column(std::string key, const Type& type) {
        graph::Node node;
        node.op = &graph::op_of(graph::OpId::kColumn_1);
        node.attributes = {{"key", std::move(key)}};
        node.source = node_.source;
        return add(std::move(node), {type});
    }

    ValueId copy(NodeId id) {
        graph::Node node = from_.nodes[id];
        std::vector<Type> types;
        for (ValueId& input : node.inputs) {
            input = inside_.at(input);
        }
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            types.push_back(from_.type(node.first_output + i));
        }
        return add(std::move(node), types);
    }

    // Adds the inputs on which the body depends, then the value.
    void reach(ValueId value) {
        if (inside_.contains(value)) {
            return;
        }
        const graph::Node& node = from_.node_of(value);
        for (const ValueId input : node.inputs) {
            reach(input);
        }
        const ValueId first = copy(from_.values[value].node);
        for (std::uint32_t i = 0; i < node.output_count; ++i) {
            inside_[node.first_output + i] = first + i;
        }
    }

    ValueId total(graph::Extension& extension, const std::vector<ValueId>& outputs) {
        extension.at_source(node_.source);
        ValueId out = 0;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const ValueId weighted = extension.emit(graph::OpId::kMul_1, {outputs[i], weights_[i]});
            const ValueId sum = out_.type(weighted).dims.empty()
                                    ? weighted
                                    : extension.emit(graph::OpId::kSumLike_1, {weighted, extension.constant(0)});
            out = out == 0 ? sum : extension.emit(graph::OpId::kAdd_1, {out, sum});
        }
        return out;
    }

    const graph::Graph& from_;
    const FusedSample& sample_;
    const graph::Node& node_;
    graph::Graph out_;
    std::vector<ValueId> weights_;
    std::map<ValueId, ValueId> inside_;
    std::vector<std::size_t> inputs_;     // inputs whose gradients are wanted
    std::vector<std::size_t> first_use_;  // inputs, without repeated values
    ValueId kernel_ = 0;
    std::vector<ValueId> body_;
    std::vector<ValueId> kernel_gradients_;
    std::vector<ValueId> body_gradients_;
};

}  // namespace

Result<std::optional<Trial>> try_body(Executor& executor, const graph::Graph& graph, const FusedSample& sample,
                                      Learner& learner, const Sizes& sizes) {
    Attempt attempt(graph, sample);
    const bool learns = std::ranges::find(sample.use.wanted, true) != sample.use.wanted.end();
    const bool differentiated = !learns || attempt.differentiate();
    Result<std::optional<Trial>> out = attempt.compute(executor, learner, sizes);
    if (out && *out) {
        (*out)->differentiated = differentiated;
    }
    return out;
}

}  // namespace tenon
