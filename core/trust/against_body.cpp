// SPDX-License-Identifier: Apache-2.0
#include "trust/against_body.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "exec/rows.hpp"
#include "gradient/gradients.hpp"
#include "graph/text.hpp"
#include "trust/buffers.hpp"
#include "trust/slopes.hpp"

namespace tenon {
namespace {

using graph::Kind;
using graph::NodeId;
using graph::Type;
using graph::ValueId;

std::string text_of(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

// A program of its own: the node and its body on columns, a total of each, and their gradients.
class Trial {
public:
    Trial(const graph::Graph& from, const FusedSample& sample)
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

    // The inputs that gradients are compared of; a value that stands for several inputs has one.
    std::vector<std::size_t> differentiate() {
        std::vector<ValueId> leaves;
        std::vector<std::size_t> inputs;
        for (const std::size_t i : first_use_) {
            bool wanted = false;
            for (std::size_t j = i; j < node_.inputs.size(); ++j) {
                wanted = wanted || (node_.inputs[j] == node_.inputs[i] && sample_.use.wanted[j]);
            }
            if (wanted) {
                leaves.push_back(inside_.at(node_.inputs[i]));
                inputs.push_back(i);
            }
        }
        graph::Extension extension(out_);
        std::vector<ValueId> kernel;
        for (std::uint32_t i = 0; i < node_.output_count; ++i) {
            kernel.push_back(kernel_ + i);
        }
        const Result<std::vector<ValueId>> ours = graph::add_gradients(extension, total(extension, kernel), leaves);
        const Result<std::vector<ValueId>> theirs = graph::add_gradients(extension, total(extension, body_), leaves);
        if (!ours || !theirs) {
            return {};  // an op of the body has no gradient on the graph
        }
        kernel_gradients_ = *ours;
        body_gradients_ = *theirs;
        return inputs;
    }

    // A column each: outputs of the kernel, of the body, gradients of the one and of the other.
    Result<std::vector<std::vector<double>>> compute(Executor& executor, Learner& learner, const Sizes& sizes) {
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
        std::vector<std::vector<double>> columns;
        const auto leading = leading_of(out_).value_or(leading_of(sizes));
        for (const ValueId value : asked()) {
            const Type& type = out_.type(value == 0 ? weights_.front() : value);
            std::int64_t count = 1;
            for (const graph::Dim dim : graph::join_symbols(leading, type.symbols())) {
                count *= size_of(dim, out_, learner, sizes);
            }
            for (const graph::Dim size : type.sizes()) {
                count *= size;
            }
            columns.emplace_back(static_cast<std::size_t>(count));
            if (value != 0) {
                out_.writes.push_back({std::to_string(columns.size()), value});
                spec.outputs.push_back({.key = out_.writes.back().name,
                                        .dtype = DType::kF64,
                                        .row_shape = {type.sizes().begin(), type.sizes().end()}});
            }
        }
        Result<std::unique_ptr<Program>> program = executor.forward(spec, learner);
        if (!program) {
            return program.error();
        }
        std::vector<void*> outputs;
        const std::vector<ValueId> all = asked();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i] != 0) {
                outputs.push_back(columns[i].data());
            }
        }
        Call call;
        call.sizes = sizes;
        call.inputs = inputs;
        call.outputs = outputs;
        if (Status done = (*program)->run(call); !done) {
            return done.error();
        }
        return columns;
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
        spec.inputs.push_back({.key = std::move(key),
                               .dtype = stored_as(type.kind, learner.real),
                               .row_shape = {type.sizes().begin(), type.sizes().end()}});
    }

    [[nodiscard]] std::vector<ValueId> asked() const {
        std::vector<ValueId> out;
        for (std::uint32_t i = 0; i < node_.output_count; ++i) {
            out.push_back(kernel_ + i);
        }
        for (const auto* list : {&body_, &kernel_gradients_, &body_gradients_}) {
            out.insert(out.end(), list->begin(), list->end());
        }
        return out;
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
        node.op = graph::find_op("column", 1);
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

    // What the body makes it of, then the value.
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
            const ValueId weighted = extension.emit("mul", {outputs[i], weights_[i]});
            const ValueId sum = out_.type(weighted).dims.empty()
                                    ? weighted
                                    : extension.emit("sum_like", {weighted, extension.constant(0)});
            out = out == 0 ? sum : extension.emit("add", {out, sum});
        }
        return out;
    }

    const graph::Graph& from_;
    const FusedSample& sample_;
    const graph::Node& node_;
    graph::Graph out_;
    std::vector<ValueId> weights_;
    std::map<ValueId, ValueId> inside_;
    std::vector<std::size_t> first_use_;  // inputs, those of a value that has come before left out
    ValueId kernel_ = 0;
    std::vector<ValueId> body_;
    std::vector<ValueId> kernel_gradients_;
    std::vector<ValueId> body_gradients_;
};

// Held against the largest of them: what is nearly 0 is often a sum of others that cancel.
std::vector<std::size_t> differing(const std::vector<double>& ours, const std::vector<double>& theirs, double most) {
    double scale = 0;
    for (const double value : theirs) {
        scale = std::isfinite(value) ? std::max(scale, std::abs(value)) : scale;
    }
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const bool both = std::isfinite(ours[i]) && std::isfinite(theirs[i]);
        const bool same = both ? std::abs(ours[i] - theirs[i]) <= most * (scale + most)
                               : std::isfinite(ours[i]) == std::isfinite(theirs[i]);
        if (!same) {
            out.push_back(i);
        }
    }
    return out;
}

}  // namespace

Status check_body(Executor& executor, const graph::Graph& graph, const FusedSample& sample, Learner& learner,
                  const Sizes& sizes) {
    constexpr std::size_t kAsked = 32;  // elements that may be kinks
    const NodeId id = sample.use.node;
    const graph::FusedKernel& kernel = graph::kernel_of(graph, graph.nodes[id]);
    const std::string begin = kernel.component + ": ";
    Trial trial(graph, sample);
    const bool learns = std::ranges::find(sample.use.wanted, true) != sample.use.wanted.end();
    const std::vector<std::size_t> inputs = learns ? trial.differentiate() : std::vector<std::size_t>();
    Result<std::vector<std::vector<double>>> computed = trial.compute(executor, learner, sizes);
    if (!computed) {
        return computed.error();
    }
    const std::vector<std::vector<double>>& columns = *computed;
    const bool in_double = learner.real == DType::kF64;
    const std::size_t outputs = graph.nodes[id].output_count;
    for (std::size_t i = 0; i < outputs; ++i) {
        const std::vector<std::size_t> apart = differing(columns[i], columns[outputs + i], in_double ? 1e-9 : 1e-4);
        if (!apart.empty()) {
            const std::size_t e = apart.front();
            return graph::problem_at(graph, id,
                                     begin + "forward of the kernel '" + kernel.name() + "' gives " +
                                         text_of(columns[i][e]) + " for out[" + std::to_string(i) + "] at element " +
                                         std::to_string(e) + ", and its body " + text_of(columns[outputs + i][e]));
        }
    }
    Slopes slopes(kernel, sample);
    for (std::size_t n = 0; n < inputs.size(); ++n) {
        const std::vector<double>& ours = columns[2 * outputs + n];
        const std::vector<double>& theirs = columns[2 * outputs + inputs.size() + n];
        const std::vector<std::size_t> apart = differing(ours, theirs, in_double ? 1e-8 : 1e-3);
        for (std::size_t at = 0; at < apart.size(); ++at) {
            const std::size_t e = apart[at];
            // where the function has a kink, whatever lies between its slopes is a gradient
            const bool asks = at < kAsked && sample.seen[inputs[n]].size() == ours.size();
            const Result<Slope> slope = asks ? slopes.at(inputs[n], e) : Result<Slope>(Slope{});
            if (!slope) {
                return slope.error();
            }
            const double scale = std::max(std::abs(slope->low), std::abs(slope->high));
            const double most = slopes.tolerance(learner.real, scale);
            if (asks && slope->high - slope->low > most && ours[e] >= slope->low - most &&
                ours[e] <= slope->high + most) {
                continue;
            }
            return graph::problem_at(graph, id,
                                     begin + "backward of the kernel '" + kernel.name() + "' gives " +
                                         text_of(ours[e]) + " for in_gradient[" + std::to_string(inputs[n]) +
                                         "] at element " + std::to_string(e) + ", and the gradient of its body is " +
                                         text_of(theirs[e]));
        }
    }
    return {};
}

}  // namespace tenon
