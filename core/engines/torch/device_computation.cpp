// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/device_computation.hpp"

#include <ATen/ops/stack.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "compute/graph/text.hpp"
#include "engines/torch/effects.hpp"
#include "engines/torch/gradients.hpp"
#include "engines/torch/index_faults.hpp"

namespace tenon::reference {

using graph::NodeId;
using graph::ValueId;

namespace {

constexpr int kWarm = 2;  // calls before one is recorded, in which libtorch's libraries initialise themselves
constexpr std::size_t kMostAlike = 8;  // a recording keeps its memory

// Whether the device computes all of the graph: authors' kernels and estimators are functions of the host.
bool stays_on_device(const graph::Graph& graph) {
    return std::ranges::none_of(graph.nodes, [](const graph::Node& node) {
        return node.op != nullptr && (node.is(graph::OpId::kFused_1) || node.is(graph::OpId::kFusedGradient_1) ||
                                      node.is(graph::OpId::kComposite_1));
    });
}

bool is_read(const Effect& effect, std::uint32_t phase) {
    using enum Effect::Kind;
    return effect.phase == phase && (effect.kind == kMetric || effect.kind == kControl || effect.kind == kCheck);
}

}  // namespace

void DeviceComputation::find_alike(const PhasePlan& plan, const Call& call) {
    std::vector<bool> columns;
    for (const void* const input : call.inputs) {
        columns.push_back(input != nullptr);
    }
    const auto found = std::ranges::find_if(all_, [&](const auto& each) {
        return each->plan == &plan && each->sizes.rows == call.sizes.rows && each->sizes.time == call.sizes.time &&
               each->sizes.lanes == call.sizes.lanes && each->columns == columns;
    });
    if (found != all_.end()) {
        std::rotate(all_.begin(), found, found + 1);
    } else {
        all_.resize(std::min(all_.size(), kMostAlike - 1));
        auto made = std::make_unique<Alike>(Alike{.plan = &plan,
                                                  .sizes = call.sizes,
                                                  .columns = std::move(columns),
                                                  .given = Given(placement_.place),
                                                  .phases = {},
                                                  .records = stays_on_device(*plan.graph)});
        made->phases.resize(plan.phases.count);
        all_.insert(all_.begin(), std::move(made));
    }
    at_ = all_.front().get();
}

Status DeviceComputation::begin(const PhasePlan& plan, const Call& call, bool /*keeps*/) {
    choose(plan);
    find_alike(plan, call);
    // a later phase could not be recorded, and reads what earlier phases compute without recording
    if (!at_->records) {
        for (Left& each : at_->phases) {
            each.recording = nullptr;
        }
    }
    failed_ = {};
    effects_.assign(plan.effects.size(), std::numeric_limits<double>::quiet_NaN());
    losses_.assign(body_->graph->losses.size(), std::numeric_limits<double>::quiet_NaN());
    Status newest = placement_.slabs->begin_update();
    newest = newest ? placement_.slabs->send() : newest;
    at_->given.begin(call);
    body_->evaluator.take_from(&at_->given);
    return newest;
}

// Computes a phase. Leaves that are read after a stage's step are created here, and not when the stage has stepped,
// because stages that step together step different networks.
void DeviceComputation::compute_all(std::uint32_t phase, const Call& call, Left& left) {
    if (phase == 0) {
        bear(schedule_->births);
    }
    for (std::size_t place = 0; place < plan().sequence.size(); ++place) {
        if (plan().sequence[place].phase + 1 == phase) {
            bear(schedule_->stages[place].births);
        }
    }
    IndexFaults faults;
    left.looked_at.clear();
    const Order& order = schedule_->phases[phase];
    for (std::size_t i = 0; i < order.nodes.size(); ++i) {
        compute_node(order, i, call);
        left.looked_at.resize(faults.found.size(), order.nodes[i]);
    }
    c10::GradMode::set_enabled(false);
    for (std::size_t place = 0; place < plan().sequence.size(); ++place) {
        if (plan().sequence[place].phase == phase && call.part.has_gradients()) {
            Computation::differentiate(place);
        }
    }
    gather_results(phase, left, faults.found);
}

void DeviceComputation::gather_results(std::uint32_t phase, Left& left, const std::vector<at::Tensor>& out_of_range) {
    std::vector<at::Tensor> all;
    const auto add = [&](const at::Tensor& value) { all.push_back(value.detach().to(at::kDouble).mean()); };
    for (std::size_t effect = 0; effect < plan().effects.size(); ++effect) {
        if (is_read(plan().effects[effect], phase)) {
            const bool checks = plan().effects[effect].kind == Effect::Kind::kCheck;
            add(checks ? value_of(effect).all() : value_of(effect));
        }
    }
    for (const StageRun& run : plan().sequence) {
        for (const std::uint32_t loss : run.losses) {
            if (run.phase == phase) {
                add(value_of_loss(loss));
            }
        }
    }
    for (const at::Tensor& each : out_of_range) {
        add(each);
    }
    left.results = all.empty() ? at::Tensor() : at::stack(all);
}

// Records a phase. False: it was not recorded and must be computed.
bool DeviceComputation::record(std::uint32_t phase, const Call& call, Left& left) {
    if (!at_->records || at_->calls < kWarm || (phase > 0 && at_->phases[phase - 1].recording == nullptr)) {
        return false;
    }
    std::unique_ptr<Recording> recording = Recording::make(*placement_.device);
    if (recording == nullptr) {
        return false;
    }
    Evaluator& evaluator = body_->evaluator;
    const auto values = [&] {
        std::vector<at::Tensor> out(body_->graph->values.size());
        for (ValueId value = 1; value < out.size(); ++value) {
            out[value] = evaluator.persists(value) ? at::Tensor() : evaluator.value(value);
        }
        return out;
    };
    const std::vector<at::Tensor> before = values();
    const std::size_t asked = at_->given.asked();
    try {
        recording->begin();
        compute_all(phase, call, left);
        recording->end();
    } catch (const c10::Error&) {
        recording->drop();
        c10::GradMode::set_enabled(false);
        at_->records = false;
        at_->given.rewind(asked);
        for (ValueId value = 1; value < before.size(); ++value) {
            if (!evaluator.persists(value)) {
                evaluator.value(value) = before[value];
            }
        }
        return false;
    }
    left.values = values();
    left.gradients = gradients_;
    left.recording = std::move(recording);
    return true;
}

Status DeviceComputation::compute(std::uint32_t phase, const Call& call) {
    if (!failed_) {
        return failed_;
    }
    Left& left = at_->phases[phase];
    if (left.recording != nullptr || record(phase, call, left)) {
        left.recording->replay();
        for (ValueId value = 1; value < left.values.size(); ++value) {
            if (!body_->evaluator.persists(value)) {
                body_->evaluator.value(value) = left.values[value];
            }
        }
        gradients_ = left.gradients;
    } else {
        compute_all(phase, call, left);
    }
    if (phase + 1 == plan().phases.count) {
        at_->given.end();
        ++at_->calls;
    }
    return read_results(phase, left);
}

Status DeviceComputation::read_results(std::uint32_t phase, const Left& left) {
    if (!left.results.defined()) {
        return {};
    }
    const std::vector<double> read = elements_of(left.results);
    std::size_t at = 0;
    for (std::size_t effect = 0; effect < plan().effects.size(); ++effect) {
        if (is_read(plan().effects[effect], phase)) {
            effects_[effect] = read[at++];
        }
    }
    for (const StageRun& run : plan().sequence) {
        for (const std::uint32_t loss : run.losses) {
            if (run.phase == phase) {
                losses_[loss] = read[at++];
            }
        }
    }
    for (const NodeId node : left.looked_at) {
        if (read[at++] != 0) {
            const graph::Graph& graph = body_->evaluator.graph();
            return graph::problem_at(graph, node,
                                     graph::describe(graph, node) + " cannot be computed in the program '" +
                                         spec_.name + "': index out of range");
        }
    }
    return {};
}

Status DeviceComputation::check(std::size_t effect, const Call& call) {
    return effects_[effect] != 0 ? Status() : Computation::check(effect, call);
}

void DeviceComputation::store_gradients(std::size_t place, bool add) {
    Computation::store_gradients(place, add);
    placement_.slabs->changed(kGradientSlabs);
}

void DeviceComputation::stepped(std::size_t place) {
    gradients_[place].clear();
    if (failed_) {
        failed_ = placement_.slabs->send();
    }
}

// Finds the cause by computing the call again, node by node.
Problem DeviceComputation::blame(std::string what, std::uint32_t phase, const Call& call) {
    body_->evaluator.take_from(nullptr);
    return Computation::blame(std::move(what), phase, call);
}

}  // namespace tenon::reference
