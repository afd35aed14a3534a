// SPDX-License-Identifier: Apache-2.0
#include "compiled/update_graph.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "gradient/gradients.hpp"
#include "graph/dependence.hpp"

namespace tenon::compiled {
namespace {

using graph::Dim;
using graph::Kind;
using graph::NodeId;
using graph::Type;
using graph::ValueId;

Problem not_compiled(const graph::Graph& graph, const graph::Node& node, const std::string& what) {
    const graph::Source& source = graph.sources[node.source];
    Problem problem = plugin_problem(what);
    problem.place = Place{.file = source.file, .line = source.line, .column = source.column, .excerpt = {}};
    return problem;
}

std::string text_of(const graph::Node& node, std::string_view key) {
    const graph::AttributeValue* value = graph::find_attribute(node, key);
    return value == nullptr ? std::string() : std::get<std::string>(*value);
}

// A read of a parameter or state.
struct Leaf {
    NodeId node = 0;
    ValueId value = 0;
    std::size_t network = 0;
    std::size_t parameter = 0;
    bool trainable = false;
    std::ptrdiff_t version = -1;  // the stage that it is read after
};

class Making {
public:
    Making(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner, const Variant& variant)
        : stages_(stages), learner_(learner), variant_(variant) {
        out_.graph = *spec.graph;
    }

    Result<UpdateGraph> make() {
        if (out_.graph.burn_in > 0) {
            return plugin_problem("burn-in is not compiled");
        }
        find_leaves();
        find_phases();
        place_stages();
        graph::Extension extension(out_.graph);
        if (Status added = add_totals(extension); !added) {
            return added.error();
        }
        find_needed();
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            if (out_.needed[id] && graph::scan_of(out_.graph, out_.graph.nodes[id].region) != 0) {
                return not_compiled(out_.graph, out_.graph.nodes[id], "scans are not compiled");
            }
        }
        if (Status added = add_gradients(extension); !added) {
            return added.error();
        }
        find_needed();
        find_phases();
        find_copies();
        return std::move(out_);
    }

private:
    [[nodiscard]] bool is_due(std::size_t stage) const { return (variant_.due >> stage & 1U) != 0; }

    [[nodiscard]] bool owns(std::size_t stage, std::size_t network) const {
        const auto& owned = stages_[stage].owned;
        return std::ranges::find(owned, static_cast<std::uint32_t>(network)) != owned.end();
    }

    void find_leaves() {
        const graph::Graph& graph = out_.graph;
        for (NodeId id = 1; id < graph.nodes.size(); ++id) {
            const graph::Node& node = graph.nodes[id];
            if (node.op->name != "parameter" && node.op->name != "state") {
                continue;
            }
            const auto network = std::ranges::find_if(
                learner_.networks, [&](const Network& each) { return each.layout.role == text_of(node, "role"); });
            if (network == learner_.networks.end()) {
                continue;
            }
            const Parameter* parameter = network->layout.find(text_of(node, "name"));
            if (parameter == nullptr) {
                continue;
            }
            Leaf leaf{.node = id,
                      .value = node.first_output,
                      .network = static_cast<std::size_t>(network - learner_.networks.begin()),
                      .parameter = static_cast<std::size_t>(parameter - network->layout.parameters.data()),
                      .trainable = parameter->trainable && text_of(node, "slab") != "target",
                      .version = -1};
            const std::string version = text_of(node, "version");
            if (!version.empty() && version != "start") {
                leaf.version = std::ranges::find(graph.stages, version, &graph::Stage::name) - graph.stages.begin();
            }
            leaves_.push_back(leaf);
        }
    }

    // Of every node, and of the stages; stages are taken in turn, for versions refer to those before.
    void find_phases() {
        stage_phase_.assign(stages_.size(), 0);
        for (std::size_t round = 0; round <= stages_.size(); ++round) {
            assign_phases();
            for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
                stage_phase_[stage] = 0;
                for (const graph::Loss& loss : out_.graph.losses) {
                    if (loss.stage == stage) {
                        stage_phase_[stage] = std::max(stage_phase_[stage], out_.phase_of(loss.value));
                    }
                }
            }
        }
    }

    void assign_phases() {
        out_.phase.assign(out_.graph.nodes.size(), 0);
        for (const Leaf& leaf : leaves_) {
            if (leaf.version >= 0 && is_due(static_cast<std::size_t>(leaf.version))) {
                out_.phase[leaf.node] = stage_phase_[static_cast<std::size_t>(leaf.version)] + 1;
            }
        }
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            graph::for_each_read(out_.graph, id, [&](ValueId value) {
                out_.phase[id] = std::max(out_.phase[id], out_.phase_of(value));
            });
        }
    }

    void place_stages() {
        std::uint32_t last = 0;
        for (const ValueId value : effects_of(out_.graph, true)) {
            last = std::max(last, out_.phase_of(value));
        }
        for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
            last = is_due(stage) ? std::max(last, stage_phase_[stage]) : last;
        }
        out_.phases = last + 1;
        for (std::uint32_t phase = 0; phase <= last; ++phase) {
            for (std::uint32_t stage = 0; stage < stages_.size(); ++stage) {
                if (is_due(stage) && stage_phase_[stage] == phase) {
                    StageRun run{.stage = stage, .phase = phase, .losses = {}, .gradients = {}};
                    for (std::uint32_t i = 0; i < out_.graph.losses.size(); ++i) {
                        if (out_.graph.losses[i].stage == stage) {
                            run.losses.push_back(i);
                        }
                    }
                    out_.sequence.push_back(std::move(run));
                }
            }
        }
    }

    Status add_totals(graph::Extension& extension) {
        leading_ = leading();
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

    // The sum over members of the mean over rows, with the batch's mask and weights where it has them.
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
        if (!per_row || (!variant_.mask && !variant_.weight)) {
            out_.totals[number] = sum(rows.empty() ? value : extension.emit("batch_mean", {value}));
            return {};
        }
        if (rows.size() != leading_.size()) {
            return not_compiled(out_.graph, out_.graph.node_of(value),
                                "a loss with other rows than the batch's mask or weights is not compiled");
        }
        ValueId terms = value;
        if (variant_.weight) {
            terms = extension.emit("mul", {terms, extension.column("weight", Type{Kind::kReal, leading_})});
        }
        if (!variant_.mask) {
            out_.totals[number] = sum(extension.emit("batch_mean", {terms}));
            return {};
        }
        const ValueId mask = extension.column("mask", Type{Kind::kBool, leading_});
        terms = extension.emit("where", {mask, terms, extension.constant(0)});
        const ValueId counted = sum(extension.emit("cast", {mask}, {{"to", std::string("real")}}));
        const ValueId count = extension.emit("maximum", {counted, extension.constant(1)});
        out_.totals[number] = extension.emit("div", {sum(terms), count});
        return {};
    }

    [[nodiscard]] std::vector<Dim> leading() const {
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            if (out_.graph.nodes[id].op->name == "column") {
                const auto symbols = out_.graph.type(out_.graph.nodes[id].first_output).symbols();
                return {symbols.begin(), symbols.end()};
            }
        }
        return {graph::kRows};
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
            std::vector<const Leaf*> read;
            for (const Leaf& leaf : leaves_) {
                if (leaf.trainable && owns(run.stage, leaf.network)) {
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
                }
            }
        }
        return {};
    }

    void find_needed() {
        std::vector<ValueId> wanted = effects_of(out_.graph, true);
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

    void find_copies() {
        std::vector<std::uint32_t> last(out_.graph.values.size(), 0);
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            if (out_.needed[id]) {
                graph::for_each_read(out_.graph, id,
                                     [&](ValueId value) { last[value] = std::max(last[value], out_.phase[id]); });
            }
        }
        for (const Leaf& leaf : leaves_) {
            if (!out_.needed[leaf.node]) {
                continue;
            }
            std::ptrdiff_t after = -1;
            if (leaf.version >= 0 && is_due(static_cast<std::size_t>(leaf.version))) {
                after = std::ranges::find(out_.sequence, static_cast<std::uint32_t>(leaf.version), &StageRun::stage) -
                        out_.sequence.begin();
            }
            bool changes = false;
            for (std::size_t k = 0; k < out_.sequence.size(); ++k) {
                const bool between =
                    static_cast<std::ptrdiff_t>(k) > after && out_.sequence[k].phase < last[leaf.value];
                changes = changes || (between && owns(out_.sequence[k].stage, leaf.network));
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
    std::vector<Leaf> leaves_;
    std::vector<std::uint32_t> stage_phase_;
    std::vector<Dim> leading_;
};

}  // namespace

std::vector<ValueId> effects_of(const graph::Graph& graph, bool writes_state) {
    std::vector<ValueId> out;
    for (const auto* list : {&graph.writes, &graph.metrics, &graph.controls, &graph.checks, &graph.prints}) {
        for (const graph::Named& named : *list) {
            out.push_back(named.value);
        }
    }
    for (std::size_t i = 0; writes_state && i < graph.state_writes.size(); ++i) {
        out.push_back(graph.state_writes[i].value);
    }
    return out;
}

Result<UpdateGraph> make_update_graph(const ProgramSpec& spec, std::span<const StagePlan> stages,
                                      const Learner& learner, const Variant& variant) {
    return Making(spec, stages, learner, variant).make();
}

}  // namespace tenon::compiled
