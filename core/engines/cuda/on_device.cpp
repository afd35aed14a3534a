// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/on_device.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "compute/exec/over_shards.hpp"
#include "compute/exec/rows.hpp"
#include "engines/compiled/program.hpp"
#include "engines/compiled/readout.hpp"
#include "engines/compiled/tape_phases.hpp"
#include "engines/cuda/building.hpp"
#include "engines/cuda/launches.hpp"
#include "engines/cuda/loop_steps.hpp"

namespace tenon::compiled::device {
namespace {

class OnDevice final : public TapePhases {
public:
    OnDevice(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
             std::shared_ptr<Program> reference, std::shared_ptr<Slabs> slabs, std::filesystem::path dump)
        : TapePhases(spec, std::move(stages), learner, std::move(reference), std::move(dump)),
          slabs_(std::move(slabs)) {}

    Status begin(const PhasePlan& plan, const Call& call, bool keeps) override {
        TENON_TRY(find_tape(plan, call, nullptr, &has_room));
        TENON_TRY(std::exchange(failed_, {}));
        TENON_TRY(ready_launches(call));
        at_->tape.begin(call, learner_);
        keeps_ = keeps;
        Status done = slabs_->begin_update();
        slabs_->queue()->begin_count();
        if (keeps_) {
            kept_.push_back({.program = at_, .launches = &launches(), .number = launches().kept()});
            done = done ? launches().begin_kept(call) : done;
        } else {
            done = done ? launches().begin(call) : done;
        }
        return done ? launches().take_snapshots(-1) : done;
    }

    Status compute(std::uint32_t phase, const Call& call) override {
        if (!failed_) {
            return std::exchange(failed_, {});  // reported once
        }
        if (Status done = launches().run_phase(phase); !done || keeps_) {
            return done ? launches().keep_phase(phase) : done;
        }
        const bool faulty = TENON_TRY(launches().show_phase(phase));
        if (faulty) {
            return out_of_bounds(call);
        }
        return call.part.is_dry() ? launches().send() : Status();  // otherwise that is done with the states
    }

    void write(std::size_t effect, void* memory, const Call& call) override {
        const Port& port = spec_.outputs[at_->plan->effects[effect].index];
        if (!spec_.writes_on_device() || is_over_shards(port.key)) {  // otherwise a kernel has written it
            TapePhases::write(effect, memory, call);
        }
    }

    std::optional<std::size_t> bad_gradient(std::size_t place) override {
        keep(launches().show_gradients(place));
        return first_bad_gradient(*at_, place);
    }

    void store_gradients(std::size_t place, bool add) override { keep(launches().store_gradients(place, add)); }

    void stepped(std::size_t place) override { keep(launches().take_snapshots(static_cast<std::ptrdiff_t>(place))); }

    void commit_states() override { keep(launches().commit_states()); }

    [[nodiscard]] Enqueued enqueued() const override { return slabs_->queue()->enqueued(); }

    DeviceSlabs* slabs() override { return slabs_.get(); }

    [[nodiscard]] bool keeps_results() const override { return spec_.is_on_device() && !stages_.empty(); }

    Status keep_results() override { return launches().keep_norms(); }

    // Fetches the results. Programs take turns, and each has separate memory for its results.
    Status fetch_results() override {
        Status done = std::exchange(failed_, {});
        for (const Kept& kept : kept_) {
            done = done ? kept.launches->fetch_kept() : done;
        }
        std::erase_if(replaced_, [&](const auto& launches) {
            return std::ranges::none_of(kept_, [&](const Kept& kept) { return kept.launches == launches.get(); });
        });
        recalled_ = std::exchange(kept_, {});
        return done;
    }

    Status recall(std::size_t number, std::span<double> norms) override {
        const Kept& kept = recalled_[number];
        at_ = kept.program;
        std::vector<double> all(learner_.networks.size() * kStepsOfNetwork);
        const bool faulty = kept.launches->recall(kept.number, all);
        std::vector<std::size_t> steps(learner_.networks.size(), 0);
        for (const StageRun& run : at_->plan->sequence) {
            const std::vector<std::uint32_t>& owned = stages_[run.stage].owned;
            norms[run.stage] = all[owned.front() * kStepsOfNetwork + steps[owned.front()]];
            for (const std::uint32_t network : owned) {
                ++steps[network];
            }
        }
        return faulty ? Status(out_of_bounds({})) : Status();
    }

    Result<std::vector<Spent>> profile(const Call& /*call*/) override { return launches().profile(); }

private:
    // A run whose results are kept: its launches, and its number among their runs.
    struct Kept {
        Specialised* program;
        Launches* launches;
        std::size_t number;
    };

    [[nodiscard]] Launches& launches() const { return static_cast<Launches&>(*at_->on_device); }

    Status ready_launches(const Call& call) {
        if (at_->on_device != nullptr && launches().is_for(call)) {
            return {};
        }
        std::unique_ptr<Launches> made = TENON_TRY(Launches::make(*at_, spec_, learner_, *slabs_, call));
        if (at_->on_device != nullptr && launches().kept() > 0) {  // their results have not been reported
            replaced_.push_back(std::move(at_->on_device));
        }
        at_->on_device = std::move(made);
        return {};
    }

    // Keeps the first failure of a call that cannot return it; the next call does.
    void keep(Status done) {
        if (failed_ && !done) {
            failed_ = std::move(done);
        }
    }

    std::shared_ptr<Slabs> slabs_;
    Status failed_;
    bool keeps_ = false;  // whether the present run keeps its results
    std::vector<Kept> kept_;
    std::vector<Kept> recalled_;
    std::vector<std::unique_ptr<DeviceForm>> replaced_;  // their results have not been reported
};

// Checks what the stages need in addition to their graph.
Status check_stages(std::span<const StagePlan> stages, const Learner& learner) {
    std::vector<std::size_t> steps(learner.networks.size(), 0);
    for (const StagePlan& stage : stages) {
        if (stage.owned.size() > static_cast<std::size_t>(kMostNetworks)) {
            return plugin_problem("one of its stages trains more than " + std::to_string(kMostNetworks) + " networks");
        }
        for (const std::uint32_t network : stage.owned) {
            if (++steps[network] > kStepsOfNetwork) {
                return plugin_problem("more than " + std::to_string(kStepsOfNetwork) + " stages train the network '" +
                                      learner.networks[network].layout.role + "'");
            }
        }
    }
    return {};
}

// Checks outputs that stay on the device, which are copied without conversion.
Status check_outputs(const ProgramSpec& spec, const PhasePlan& plan, const Specialised& program) {
    for (std::size_t i = 0; i < plan.effects.size(); ++i) {
        const Effect& effect = plan.effects[i];
        if (effect.kind != Effect::Kind::kWrite) {
            continue;
        }
        const Port& port = spec.outputs[effect.index];
        if (stored_as(program.effects[i].kind, DType::kF32) != port.dtype) {
            return plugin_problem("it writes '" + port.key + "' as another type than it computes");
        }
        if (flattened(program.effects[i].view).shape.size() > static_cast<std::size_t>(kMostDims)) {
            return plugin_problem("'" + port.key + "' has too many dimensions for a kernel");
        }
    }
    return {};
}

}  // namespace

Status check_steps(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner) {
    if (learner.real != DType::kF32) {
        return plugin_problem("run.dtype is \"float64\", and kernels compute in float32");
    }
    TENON_TRY(check_stages(stages, learner));
    const PhasePlan plan = TENON_TRY(make_plan(spec, stages, learner, widest_variant(spec, stages)));
    const bool readable = std::ranges::all_of(plan.reads, [](const ParameterRead& read) {
        return read.slab == ParameterSlab::kLive || read.slab == ParameterSlab::kTarget ||
               read.slab == ParameterSlab::kReference;
    });
    return readable ? Status() : Status(plugin_problem("it reads parameters that act with a lag or with noise"));
}

Status check_runs(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner) {
    TENON_TRY(check_steps(spec, stages, learner));
    PhasePlan plan;
    const std::unique_ptr<Specialised> tried = TENON_TRY(try_compiling(spec, stages, learner, plan, &has_room));
    Status known = check_kernels(tried->tape);
    return known && spec.is_on_device() && stages.empty() ? check_outputs(spec, plan, *tried) : known;
}

Result<std::shared_ptr<DeviceSlabs>> slabs_of(const std::shared_ptr<Device>& device, Learner& learner) {
    Result<std::shared_ptr<Slabs>> slabs = Slabs::of(device, learner);
    return slabs ? Result<std::shared_ptr<DeviceSlabs>>(std::move(*slabs))
                 : Result<std::shared_ptr<DeviceSlabs>>(std::move(slabs).error());
}

Result<std::unique_ptr<Phased>> make_phases(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                            std::shared_ptr<Program> reference, const std::shared_ptr<Device>& device,
                                            const std::filesystem::path& dump) {
    std::shared_ptr<Slabs> slabs = TENON_TRY(Slabs::of(device, learner));
    return std::unique_ptr<Phased>(
        std::make_unique<OnDevice>(spec, std::move(stages), learner, std::move(reference), std::move(slabs), dump));
}

}  // namespace tenon::compiled::device
