// SPDX-License-Identifier: Apache-2.0
#include "compute/compiled/device/on_device.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "compute/compiled/blame.hpp"
#include "compute/compiled/device/building.hpp"
#include "compute/compiled/device/launches.hpp"
#include "compute/compiled/dump.hpp"
#include "compute/compiled/known_programs.hpp"
#include "compute/compiled/readout.hpp"

namespace tenon::compiled::device {
namespace {

class OnDevice final : public Phased {
public:
    OnDevice(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
             std::shared_ptr<Program> reference, std::shared_ptr<Slabs> slabs, std::filesystem::path dump)
        : spec_(spec),
          stages_(std::move(stages)),
          learner_(learner),
          reference_(std::move(reference)),
          slabs_(std::move(slabs)),
          dump_(std::move(dump)) {
        spec_.graph = nullptr;  // the plans have it
    }

    Status begin(const PhasePlan& plan, const Call& call) override {
        const Result<KnownPrograms::Found> found = known_.find({.spec = spec_,
                                                                .stages = stages_,
                                                                .learner = learner_,
                                                                .plan = plan,
                                                                .sizes = call.sizes,
                                                                .pool = nullptr});
        if (!found) {
            return found.error();
        }
        at_ = found->program;
        failed_ = {};
        const bool is_shown = found->is_new && !dump_.empty();
        if (Status dumped = is_shown ? dump(dump_, spec_.name, *at_) : Status(); !dumped) {
            return dumped;
        }
        if (Status ready = ready_launches(call.sizes); !ready) {
            return ready;
        }
        at_->tape.begin(call, learner_);
        Status done = slabs_->take_newest();
        done = done ? launches().begin(call) : Status(done.error());
        return done ? launches().take_snapshots(-1) : done;
    }

    Status compute(std::uint32_t phase, const Call& call) override {
        if (!failed_) {
            return failed_;
        }
        if (Status done = launches().run_phase(phase); !done) {
            return done;
        }
        const Result<bool> faulty = launches().show_phase(phase);
        if (!faulty) {
            return faulty.error();
        }
        return *faulty ? blamed(*reference_, call, "an index is out of bounds in the program '" + spec_.name + "'")
                       : Status();
    }

    double mean(std::size_t effect) override { return mean_of(at_->tape, at_->effects[effect]); }

    std::vector<double> elements(std::size_t effect) override { return elements_of(at_->tape, at_->effects[effect]); }

    Status check(std::size_t effect, const Call& call) override {
        return is_true(at_->tape, at_->effects[effect])
                   ? Status()
                   : blamed(*reference_, call, "a check of the program '" + spec_.name + "' failed");
    }

    void write(std::size_t effect, void* memory, const Call& /*call*/) override {
        write_rows(at_->tape, at_->effects[effect], spec_.outputs[at_->plan->effects[effect].index].dtype, memory);
    }

    double loss(std::size_t index) override { return at_->tape.element(at_->losses[index].view, Kind::kReal, 0); }

    void differentiate(std::size_t /*place*/) override {}  // compute has done it

    std::optional<std::size_t> bad_gradient(std::size_t place) override {
        keep(launches().show_gradients(place));
        return first_bad_gradient(*at_, place);
    }

    void store_gradients(std::size_t place, bool add) override { keep(launches().store_gradients(place, add)); }

    void stepped(std::size_t place) override { keep(launches().take_snapshots(static_cast<std::ptrdiff_t>(place))); }

    void commit_states() override { keep(launches().commit_states()); }

    SlabsThere* slabs() override { return slabs_.get(); }

    Problem blame(std::string what, std::uint32_t /*phase*/, const Call& call) override {
        return blamed(*reference_, call, std::move(what));
    }

    [[nodiscard]] std::string_view computed_by() const override { return "compiled"; }

private:
    [[nodiscard]] Launches& launches() const { return static_cast<Launches&>(*at_->there); }

    Status ready_launches(const Sizes& sizes) {
        const auto is_for = [&](const Sizes& made) {
            return made.rows == sizes.rows && made.time == sizes.time && made.lanes == sizes.lanes;
        };
        if (at_->there != nullptr && is_for(launches().sizes())) {
            return {};
        }
        Result<std::unique_ptr<Launches>> made = Launches::make(*at_, spec_, learner_, *slabs_);
        if (!made) {
            return std::move(made).error();
        }
        at_->there = std::move(*made);
        return {};
    }

    // The first failure of a call that has no other way to tell it.
    void keep(Status done) {
        if (failed_ && !done) {
            failed_ = std::move(done);
        }
    }

    ProgramSpec spec_;
    std::vector<StagePlan> stages_;
    Learner& learner_;
    std::shared_ptr<Program> reference_;
    std::shared_ptr<Slabs> slabs_;
    std::filesystem::path dump_;
    KnownPrograms known_;
    Specialised* at_ = nullptr;  // of the present run
    Status failed_;
};

// What a stage needs beside its graph.
Status check_stage(std::span<const StagePlan> stages, std::size_t number, const Learner& learner) {
    const StagePlan& stage = stages[number];
    if (!std::holds_alternative<AdamPlan>(stage.optimiser.rule)) {
        return plugin_problem("its optimiser is neither adam nor adamw, which alone have kernels");
    }
    if (stage.owned.size() > static_cast<std::size_t>(kMostNetworks)) {
        return plugin_problem("a stage steps more than " + std::to_string(kMostNetworks) + " networks");
    }
    for (std::size_t other = 0; other < number; ++other) {
        for (const std::uint32_t network : stage.owned) {
            if (owns(stages[other], network)) {
                return plugin_problem("two stages step the network '" + learner.networks[network].layout.role + "'");
            }
        }
    }
    return {};
}

}  // namespace

Status check_runs(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner) {
    if (learner.real != DType::kF32) {
        return plugin_problem("run.dtype is \"float64\", and kernels compute in float32");
    }
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (Status can = check_stage(stages, i, learner); !can) {
            return can;
        }
    }
    PhasePlan plan;
    const Result<std::unique_ptr<Specialised>> tried = try_compiling(spec, stages, learner, plan);
    return tried ? check_kernels((*tried)->tape) : Status(tried.error());
}

Result<std::unique_ptr<Phased>> make_phases(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                            std::shared_ptr<Program> reference, const Setting& setting) {
    Result<std::shared_ptr<Slabs>> slabs = Slabs::of(setting.device, learner);
    if (!slabs) {
        return std::move(slabs).error();
    }
    return std::unique_ptr<Phased>(std::make_unique<OnDevice>(spec, std::move(stages), learner, std::move(reference),
                                                              std::move(*slabs), setting.dump));
}

}  // namespace tenon::compiled::device
