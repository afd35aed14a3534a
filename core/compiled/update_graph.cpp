// SPDX-License-Identifier: Apache-2.0
#include "compiled/update_graph.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "compiled/plain_images.hpp"
#include "compiled/split_linears.hpp"
#include "exec/composites.hpp"
#include "exec/rows.hpp"
#include "gradient/gradients.hpp"
#include "graph/dependence.hpp"
#include "graph/text.hpp"

namespace tenon::compiled {
namespace {

using graph::Dim;
using graph::Kind;
using graph::Node;
using graph::NodeId;
using graph::Type;
using graph::ValueId;

class Making {
public:
    Making(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner, const Variant& variant)
        : stages_(stages), learner_(learner), variant_(variant) {
        // composites run in one pass only without gradients
        out_.graph = with_split_linears(with_plain_images(stages.empty() ? with_composites(*spec.graph) : *spec.graph));
    }

    Result<UpdateGraph> make() {
        if (Status placed = place_stages(); !placed) {
            return placed.error();
        }
        graph::Extension extension(out_.graph);
        if (Status added = add_totals(extension); !added) {
            return added.error();
        }
        if (Status added = add_gradients(extension); !added) {
            return added.error();
        }
        if (!extension.status()) {
            return extension.status().error();
        }
        find_needed();
        out_.phase = find_phases(out_.graph, reads_, variant_.due).of_node;
        run_bodies_with_scans();
        find_copies();
        return std::move(out_);
    }

private:
    Status place_stages() {
        std::vector<ValueId> wanted = graph::effects_of(out_.graph, true);
        for (const graph::Loss& loss : out_.graph.losses) {
            wanted.push_back(loss.value);
        }
        Result<std::vector<ParameterRead>> reads =
            parameter_reads(out_.graph, graph::ancestors(out_.graph, wanted), learner_);
        if (!reads) {
            return reads.error();
        }
        reads_ = std::move(*reads);
        const Phases phases = find_phases(out_.graph, reads_, variant_.due);
        out_.phases = phases.count;
        for (const std::uint32_t stage : phases.sequence) {
            std::vector<std::string>& owns = out_.graph.stages[stage].owns;
            owns.clear();
            for (const std::uint32_t network : stages_[stage].owned) {
                owns.push_back(learner_.networks[network].layout.role);
            }
            out_.sequence.push_back({.stage = stage,
                                     .phase = phases.of_stage[stage],
                                     .losses = losses_of(out_.graph, stage),
                                     .gradients = {}});
        }
        return {};
    }

    Status add_totals(graph::Extension& extension) {
        leading_ = leading_of(out_.graph).value_or(std::vector<Dim>{graph::kRows});
        out_.totals.assign(out_.graph.losses.size(), 0);
        for (const StageRun& run : out_.sequence) {
            for (const std::uint32_t loss : run.losses) {
                const Status added = add_total(extension, loss);
                if (!added) {
                    return added;
                }
            }
        }
        return {};
    }

    // The sum over members of the mean over rows, with the batch's mask and weights if it has them.
    Status add_total(graph::Extension& extension, std::uint32_t number) {
        const ValueId value = out_.graph.losses[number].value;
        const Type type = out_.graph.type(value);
        extension.at_source(out_.graph.node_of(value).source);
        const auto sum = [&](ValueId of) {
            return out_.graph.type(of).dims.empty() ? of : extension.emit("sum_like", {of, extension.constant(0)});
        };
        std::vector<Dim> rows;
        std::ranges::copy_if(type.dims, std::back_inserter(rows), [](Dim dim) { return dim > graph::kFirstDerived; });
        const bool per_row = !rows.empty() && std::ranges::all_of(leading_, [&](Dim dim) { return type.has(dim); });
        const bool masked = variant_.mask || out_.graph.burn_in > 0;
        if (!per_row || (!masked && !variant_.weight)) {
            out_.totals[number] = sum(rows.empty() ? value : extension.emit("batch_mean", {value}));
            return {};
        }
        if (rows.size() != leading_.size()) {
            return graph::problem_at(
                out_.graph, out_.graph.values[value].node,
                "a loss whose rows differ from those of the batch's mask or weights cannot be compiled");
        }
        ValueId terms = value;
        if (variant_.weight) {
            terms = extension.emit("mul", {terms, extension.column("weight", Type{Kind::kReal, leading_})});
        }
        if (!masked) {
            out_.totals[number] = sum(extension.emit("batch_mean", {terms}));
            return {};
        }
        const ValueId mask = mask_of_rows(extension);
        terms = extension.emit("where", {mask, terms, extension.constant(0)});
        const ValueId counted = sum(extension.emit("cast", {mask}, {{"to", std::string("real")}}));
        const ValueId count = extension.emit("maximum", {counted, extension.constant(1)});
        out_.totals[number] = extension.emit("div", {sum(terms), count});
        return {};
    }

    // The rows that count: those of the mask, without the burn-in.
    ValueId mask_of_rows(graph::Extension& extension) {
        const Type type{Kind::kBool, leading_};
        if (out_.graph.burn_in == 0) {
            return extension.column("mask", type);
        }
        const ValueId one = extension.constant(1);
        const ValueId shape = extension.column(variant_.mask ? "mask" : "is_init", type);
        const ValueId ones = extension.emit("where", {shape, one, one});
        const ValueId step = extension.emit("scan_linear", {one, ones});  // 1, 2, ..
        const ValueId burnt = extension.constant(static_cast<double>(out_.graph.burn_in));
        const ValueId warm = extension.emit("gt", {step, burnt});
        return variant_.mask ? extension.emit("and", {shape, warm}) : warm;
    }

    Status add_gradients(graph::Extension& extension) {
        for (StageRun& run : out_.sequence) {
            if (!variant_.gradients) {
                continue;
            }
            ValueId total = 0;
            for (const std::uint32_t loss : run.losses) {
                total = total == 0 ? out_.totals[loss] : extension.emit("add", {total, out_.totals[loss]});
            }
            std::vector<ValueId> leaves;
            std::vector<const ParameterRead*> read;
            for (const ParameterRead& leaf : reads_) {
                if (leaf.trainable && owns(stages_[run.stage], leaf.network)) {
                    leaves.push_back(leaf.value);
                    read.push_back(&leaf);
                }
            }
            Result<std::vector<ValueId>> found = graph::add_gradients(extension, total, leaves);
            if (!found) {
                return found.error();
            }
            for (const std::uint32_t network : stages_[run.stage].owned) {
                const auto& parameters = learner_.networks[network].layout.parameters;
                for (std::size_t i = 0; i < parameters.size(); ++i) {
                    if (!parameters[i].trainable) {
                        continue;
                    }
                    Gradient gradient{.network = network, .parameter = i, .value = 0};
                    for (std::size_t leaf = 0; leaf < read.size(); ++leaf) {
                        const ValueId part = (*found)[leaf];
                        if (read[leaf]->network == network && read[leaf]->parameter == i && part != 0) {
                            gradient.value = gradient.value == 0 ? part : extension.emit("add", {gradient.value, part});
                        }
                    }
                    run.gradients.push_back(gradient);
                    if (gradient.value != 0) {
                        const std::string& role = learner_.networks[network].layout.role;
                        out_.gradients.push_back({role + "/" + parameters[i].name, gradient.value});
                    }
                }
            }
        }
        return {};
    }

    void find_needed() {
        std::vector<ValueId> wanted = graph::effects_of(out_.graph, true);
        for (const StageRun& run : out_.sequence) {
            for (const std::uint32_t loss : run.losses) {
                wanted.push_back(out_.totals[loss]);
            }
            for (const Gradient& gradient : run.gradients) {
                if (gradient.value != 0) {
                    wanted.push_back(gradient.value);
                }
            }
        }
        out_.needed = graph::ancestors(out_.graph, wanted);
    }

    // Nodes inside a scan read their inputs when the scan runs.
    void run_bodies_with_scans() {
        std::vector<std::uint32_t> phases(out_.graph.regions.size(), 0);
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            if (const Node& node = out_.graph.nodes[id]; node.op->name == "scan") {
                phases[static_cast<std::size_t>(graph::int_attribute(node, "region"))] = out_.phase[id];
            }
        }
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            if (const auto scan = graph::scan_of(out_.graph, out_.graph.nodes[id].region); scan != 0) {
                out_.phase[id] = phases[scan];
            }
        }
    }

    void find_copies() {
        std::vector<std::uint32_t> last(out_.graph.values.size(), 0);
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            if (out_.needed[id]) {
                graph::for_each_read(out_.graph, id,
                                     [&](ValueId value) { last[value] = std::max(last[value], out_.phase[id]); });
            }
        }
        for (const ParameterRead& leaf : reads_) {
            if (!out_.needed[leaf.node]) {
                continue;
            }
            std::ptrdiff_t after = -1;
            if (leaf.after >= 0 && is_due(variant_.due, static_cast<std::size_t>(leaf.after))) {
                after = std::ranges::find(out_.sequence, static_cast<std::uint32_t>(leaf.after), &StageRun::stage) -
                        out_.sequence.begin();
            }
            bool changes = false;
            for (std::size_t k = 0; k < out_.sequence.size(); ++k) {
                const bool between =
                    static_cast<std::ptrdiff_t>(k) > after && out_.sequence[k].phase < last[leaf.value];
                changes = changes || (between && owns(stages_[out_.sequence[k].stage], leaf.network));
            }
            if (changes) {
                out_.copies.push_back({leaf.node, after});
            }
        }
    }

    std::span<const StagePlan> stages_;
    const Learner& learner_;
    Variant variant_;
    UpdateGraph out_;
    std::vector<ParameterRead> reads_;
    std::vector<Dim> leading_;
};

}  // namespace

Result<UpdateGraph> make_update_graph(const ProgramSpec& spec, std::span<const StagePlan> stages,
                                      const Learner& learner, const Variant& variant) {
    return Making(spec, stages, learner, variant).make();
}

}  // namespace tenon::compiled
