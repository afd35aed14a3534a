// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/program.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "compute/exec/device_engine.hpp"
#include "compute/exec/driver.hpp"
#include "compute/exec/rows.hpp"
#include "engines/compiled/lane_shares.hpp"
#include "engines/compiled/profile.hpp"
#include "engines/compiled/readout.hpp"
#include "engines/compiled/specialised.hpp"
#include "engines/compiled/tape_phases.hpp"

namespace tenon::compiled {
namespace {

constexpr std::int64_t kTriedRows = 4;

class Compiled final : public TapePhases {
public:
    Compiled(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
             std::shared_ptr<Program> reference, const Setting& setting)
        : TapePhases(spec, std::move(stages), learner, std::move(reference), setting.dump), pool_(setting.pool) {}

    Status begin(const PhasePlan& plan, const Call& call, bool /*keeps*/) override {
        TENON_TRY(find_tape(plan, call, pool_));
        versions_ += call.numbers.same_parameters ? 0 : 1;
        at_->tape.begin(call, learner_, versions_);
        take_snapshots(-1);
        return {};
    }

    Status compute(std::uint32_t phase, const Call& call) override {
        at_->tape.run_phase(phase, call, phase == 0 ? call.give_up : nullptr);
        if (call.give_up != nullptr && call.give_up->given_up) {
            return {};
        }
        if (!at_->tape.kernels()) {
            return at_->tape.kernels();
        }
        return at_->tape.faulty() ? Status(out_of_bounds(call)) : Status();
    }

    std::optional<std::size_t> bad_gradient(std::size_t place) override { return first_bad_gradient(*at_, place); }

    void store_gradients(std::size_t place, bool add) override {
        compiled::store_gradients(*at_, place, add, learner_, more_);
    }

    void stepped(std::size_t place) override { take_snapshots(static_cast<std::ptrdiff_t>(place)); }

    void commit_states() override { compiled::commit_states(*at_, learner_, more_); }

    Result<std::vector<Spent>> profile(const Call& call) override { return compiled::profile(at_->tape, call); }

private:
    void take_snapshots(std::ptrdiff_t after) {
        for (const Snapshot& snapshot : at_->snapshots) {
            if (snapshot.after == after) {
                at_->tape.copy(snapshot.from, snapshot.to);
            }
        }
    }

    Pool* pool_;
    std::uint64_t versions_ = 0;   // of the parameters, as far as calls say that they changed
    std::vector<std::byte> more_;  // temporary memory
};

// A number of steps that is large enough for every step that the graph takes.
std::int64_t tried_steps(const graph::Graph& graph) {
    constexpr std::int64_t kMostTried = 1 << 12;
    std::int64_t out = kTriedRows;
    for (std::size_t id = 1; id < graph.nodes.size(); ++id) {
        if (graph.nodes[id].is(graph::OpId::kAtTime_1)) {
            const std::int64_t index = graph::int_attribute(graph.nodes[id], "index");
            out = std::max(out, index < 0 ? -std::max(index, -kMostTried) : std::min(index, kMostTried) + 1);
        }
    }
    return out;
}

}  // namespace

Result<std::unique_ptr<Specialised>> try_compiling(const ProgramSpec& spec, std::span<const StagePlan> stages,
                                                   const Learner& learner, PhasePlan& plan, HasRoom has_room) {
    const graph::Graph& graph = *spec.graph;
    Sizes sizes;
    for (const graph::Dim dim : leading_of(graph).value_or(std::vector<graph::Dim>{graph::kLanes})) {
        (dim == graph::kRows   ? sizes.rows
         : dim == graph::kTime ? sizes.time
                               : sizes.lanes) = dim == graph::kTime ? tried_steps(graph) : kTriedRows;
    }
    plan = TENON_TRY(make_plan(spec, stages, learner, widest_variant(spec, stages)));
    return specialise({.spec = spec,
                       .stages = stages,
                       .learner = learner,
                       .plan = plan,
                       .sizes = sizes,
                       .pool = nullptr,
                       .has_room = has_room});
}

Status check_compiles(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner) {
    PhasePlan plan;
    const Result<std::unique_ptr<Specialised>> tried = try_compiling(spec, stages, learner, plan);
    return tried ? Status() : Status(tried.error());
}

Result<std::unique_ptr<Program>> make_program(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                              std::shared_ptr<Program> reference, const Setting& setting) {
    const Status runs_on_device =
        setting.device != nullptr && (spec.is_on_device() || !stages.empty())
            ? setting.device->engine->check_runs(spec, stages, learner)
            : Status(plugin_problem("the program '" + spec.name + "' must run on a device, but the run has none"));
    if (!runs_on_device && spec.is_on_device()) {
        return runs_on_device.error();
    }
    if (runs_on_device) {
        auto phases = setting.device->engine->make_phases(spec, stages, learner, std::move(reference), setting.device,
                                                          setting.dump);
        return phases ? drive(spec, std::move(stages), learner, std::move(*phases), setting.print)
                      : Result<std::unique_ptr<Program>>(std::move(phases).error());
    }
    auto phases = std::make_unique<Compiled>(spec, stages, learner, std::move(reference), setting);
    const bool learns = !stages.empty();
    auto program = drive(spec, std::move(stages), learner, std::move(phases), setting.print, setting.pool);
    return program && !learns ? in_lane_shares(std::move(*program), spec, learner) : std::move(program);
}

}  // namespace tenon::compiled
