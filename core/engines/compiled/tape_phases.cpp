// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/tape_phases.hpp"

#include <utility>

#include "engines/compiled/blame.hpp"
#include "engines/compiled/dump.hpp"
#include "engines/compiled/readout.hpp"

namespace tenon::compiled {

TapePhases::TapePhases(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                       std::shared_ptr<Program> reference, std::filesystem::path dump)
    : spec_(spec),
      stages_(std::move(stages)),
      learner_(learner),
      reference_(std::move(reference)),
      dump_(std::move(dump)) {
    spec_.graph = nullptr;  // the plans have it
}

Status TapePhases::find_tape(const PhasePlan& plan, const Call& call, Pool* pool, HasRoom has_room) {
    const KnownPrograms::Found found = TENON_TRY(known_.find({.spec = spec_,
                                                              .stages = stages_,
                                                              .learner = learner_,
                                                              .plan = plan,
                                                              .sizes = call.sizes,
                                                              .pool = pool,
                                                              .has_room = has_room}));
    at_ = found.program;
    const bool is_shown = found.is_new && !dump_.empty();
    return is_shown ? dump(dump_, spec_.name, *at_) : Status();
}

std::optional<Problem> TapePhases::blamed_by_reference(const Call& call) const {
    // the reference reads columns of the host
    return spec_.is_on_device() ? std::nullopt : blamed(*reference_, call);
}

Problem TapePhases::out_of_bounds(const Call& call) {
    return blamed_by_reference(call).value_or(
        plugin_problem("an index is out of bounds in the program '" + spec_.name + "'"));
}

double TapePhases::mean(std::size_t effect) {
    return mean_of(at_->tape, at_->effects[effect]);
}

std::vector<double> TapePhases::elements(std::size_t effect) {
    return elements_of(at_->tape, at_->effects[effect]);
}

Status TapePhases::check(std::size_t effect, const Call& call) {
    return is_true(at_->tape, at_->effects[effect]) ? Status()
                                                    : blamed_by_reference(call).value_or(plugin_problem(
                                                          "a check of the program '" + spec_.name + "' failed"));
}

void TapePhases::write(std::size_t effect, void* memory, const Call& /*call*/) {
    write_rows(at_->tape, at_->effects[effect], spec_.outputs[at_->plan->effects[effect].index].dtype, memory);
}

double TapePhases::loss(std::size_t index) {
    return at_->tape.element(at_->losses[index].view, Kind::kReal, 0);
}

Problem TapePhases::blame(std::string what, std::uint32_t phase, const Call& call) {
    if (std::optional<Problem> said = blamed_by_reference(call)) {
        return *std::move(said);
    }
    return spec_.is_on_device() ? plugin_problem(std::move(what))
                                : first_not_finite(what, spec_, *at_->plan, phase, learner_, call);
}

}  // namespace tenon::compiled
