// SPDX-License-Identifier: Apache-2.0
#include "compiled/program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "compiled/dump.hpp"
#include "compiled/known_programs.hpp"
#include "compiled/profile.hpp"
#include "compiled/readout.hpp"
#include "compiled/specialised.hpp"
#include "exec/rows.hpp"
#include "exec/stage_step.hpp"
#include "graph/text.hpp"

namespace tenon::compiled {
namespace {

constexpr std::int64_t kTriedRows = 4;
constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();

class Compiled final : public Program {
public:
    Compiled(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
             std::shared_ptr<Program> reference, Setting setting)
        : spec_(spec),
          graph_(*spec.graph),
          stages_(std::move(stages)),
          learner_(learner),
          reference_(std::move(reference)),
          setting_(std::move(setting)),
          steps_(stage_steps(stages_, learner)) {
        spec_.graph = &graph_;
        if (!stages_.empty()) {
            mask_ = find_row_port(spec_.inputs, "mask", true);
            weight_ = find_row_port(spec_.inputs, "weight", false);
        }
        skip_ = std::ranges::find(graph_.controls, kSkipUpdate, &graph::Named::name) - graph_.controls.begin();
    }

    Status run(const Call& call) override {
        Result<Specialised*> at = specialised_for(call);
        return at ? run_tape(**at, call) : Status(at.error());
    }

    [[nodiscard]] std::string_view computed_by() const override { return "compiled"; }

    Result<std::vector<Spent>> profile(const Call& call) override {
        Call dry = call;
        dry.part.dry = true;
        if (Status done = run(dry); !done) {
            return std::move(done).error();
        }
        return compiled::profile((*specialised_for(dry))->tape, dry);
    }

private:
    static bool is_given(std::ptrdiff_t port, const Call& call) {
        return port >= 0 && call.inputs[static_cast<std::size_t>(port)] != nullptr;
    }

    [[nodiscard]] Variant variant_of(const Call& call) const {
        return {.due = due_stages(stages_, call.updates),
                .gradients = call.part.gradients,
                .mask = is_given(mask_, call),
                .weight = is_given(weight_, call)};
    }

    Result<Specialised*> specialised_for(const Call& call) {
        const Result<KnownPrograms::Found> found = known_.find({.spec = spec_,
                                                                .stages = stages_,
                                                                .learner = learner_,
                                                                .variant = variant_of(call),
                                                                .sizes = call.sizes,
                                                                .writes_state = !stages_.empty() || spec_.writes_state,
                                                                .pool = setting_.pool});
        if (!found) {
            return found.error();
        }
        const bool is_shown = found->is_new && !setting_.dump.empty();
        if (Status dumped = is_shown ? dump(setting_.dump, spec_.name, *found->program) : Status(); !dumped) {
            return dumped.error();
        }
        return found->program;
    }

    Status run_tape(Specialised& at, const Call& call) {
        std::ranges::fill(call.losses, kNoLoss);
        std::ranges::fill(call.gradient_norms, kNoLoss);
        versions_ += call.same_parameters ? 0 : 1;
        at.tape.begin(call, learner_, versions_);
        take_snapshots(at, -1);
        bool skipped = false;
        std::size_t next = 0;
        for (std::uint32_t phase = 0; phase < at.update.phases; ++phase) {
            at.tape.run_phase(phase, call, phase == 0 ? call.give_up : nullptr);
            if (call.give_up != nullptr && call.give_up->given_up) {
                return {};
            }
            if (!at.tape.kernels()) {
                return at.tape.kernels();
            }
            if (at.tape.faulty()) {
                return blamed(call, "an index is out of bounds in the program '" + spec_.name + "'");
            }
            print(at, phase, call);
            const bool passes = std::ranges::all_of(
                at.checks, [&](const Seen& check) { return check.phase != phase || is_true(at.tape, check); });
            if (!passes) {
                return blamed(call, "a check of the program '" + spec_.name + "' failed");
            }
            leave_effects(at, phase, call);
            if (phase == 0 && static_cast<std::size_t>(skip_) < graph_.controls.size()) {
                skipped = mean_of(at.tape, at.controls[static_cast<std::size_t>(skip_)]) != 0;
            }
            const std::size_t first = next;
            for (; next < at.update.sequence.size() && at.update.sequence[next].phase == phase; ++next) {
                Status finite = skipped ? Status() : look_at(at, next, call);
                if (!finite && (call.not_finite == nullptr || phase > 0)) {
                    return finite;
                }
                if (!finite) {
                    *call.not_finite = std::move(finite).error();
                    skipped = true;
                }
            }
            for (std::size_t i = first; i < next; ++i) {
                if (Status stepped = step(at, i, skipped, call); !stepped) {
                    return stepped;
                }
            }
        }
        if (!skipped && !call.part.dry) {
            commit_states(at, learner_, more_);
        }
        return {};
    }

    void take_snapshots(Specialised& at, std::ptrdiff_t after) {
        for (const Snapshot& snapshot : at.snapshots) {
            if (snapshot.after == after) {
                at.tape.copy(snapshot.from, snapshot.to);
            }
        }
    }

    void print(const Specialised& at, std::uint32_t phase, const Call& call) const {
        for (std::size_t i = 0; i < graph_.prints.size(); ++i) {
            if (setting_.print != nullptr && !call.part.dry && at.prints[i].phase == phase) {
                setting_.print(print_line(graph_, graph_.prints[i], elements_of(at.tape, at.prints[i])));
            }
        }
    }

    void leave_effects(const Specialised& at, std::uint32_t phase, const Call& call) const {
        for (std::size_t i = 0; i < call.metrics.size(); ++i) {
            if (at.metrics[i].phase == phase) {
                call.metrics[i] = mean_of(at.tape, at.metrics[i]);
            }
        }
        for (std::size_t i = 0; i < call.controls.size(); ++i) {
            if (at.controls[i].phase == phase) {
                call.controls[i] = mean_of(at.tape, at.controls[i]);
            }
        }
        for (std::size_t i = 0; i < call.outputs.size(); ++i) {
            if (call.outputs[i] != nullptr && at.writes[i].phase == phase) {
                write_rows(at.tape, at.writes[i], spec_.outputs[i].dtype, call.outputs[i]);
            }
        }
    }

    static bool read_losses(const Specialised& at, const StageRun& run, const Call& call) {
        bool finite = true;
        for (const std::uint32_t loss : run.losses) {
            const double value = at.tape.element(at.totals[loss].view, Kind::kReal, 0);
            if (!call.losses.empty()) {
                call.losses[loss] = value;
            }
            finite = finite && std::isfinite(value);
        }
        return finite;
    }

    // Checks that the losses are finite and, if such a minibatch may be skipped, the gradients as well; otherwise their
    // norm is checked before the step.
    Status look_at(const Specialised& at, std::size_t place, const Call& call) {
        const StageRun& run = at.update.sequence[place];
        const auto blame = [&](const std::string& what) {
            return blamed(call, what + " of the stage '" + graph_.stages[run.stage].name +
                                    "' is not finite in the program '" + spec_.name + "'");
        };
        if (!read_losses(at, run, call)) {
            return blame("a loss");
        }
        const bool finite =
            call.not_finite == nullptr || std::ranges::all_of(at.gradients[place], [&](const Seen& seen) {
                return seen.view.buffer == 0 || is_finite(at.tape, seen);
            });
        return finite ? Status() : blame("a gradient");
    }

    // Repeats the call on the reference executor, which can name the cause.
    Status blamed(Call call, std::string otherwise) {
        std::optional<Problem> said;
        call.part.dry = true;
        call.outputs = {};
        call.not_finite = &said;  // so that it checks gradients as well
        if (Status done = reference_->run(call); !done) {
            return done;
        }
        return said ? std::move(*said) : plugin_problem(std::move(otherwise));
    }

    Status step(Specialised& at, std::size_t place, bool skipped, const Call& call) {
        const StageRun& run = at.update.sequence[place];
        StageStep& moving = steps_[run.stage];
        begin_part(moving, call.part);
        if (!skipped && call.part.gradients) {
            store_gradients(at, place, moving.gathered > 0, learner_, more_);
            ++moving.gathered;
            leave_gradients(moving, run.stage, call);
        }
        end_part(moving, call.part);
        if (call.part.last && !call.part.dry && moving.gathered > 0) {
            const double norm = step_stage(stages_[run.stage], moving, learner_.real, call.live);
            if (!call.gradient_norms.empty()) {
                call.gradient_norms[run.stage] = norm;
            }
            if (!std::isfinite(norm)) {
                return blamed(call, "the gradient of the stage '" + graph_.stages[run.stage].name +
                                        "' is not finite in the program '" + spec_.name + "'");
            }
        }
        take_snapshots(at, static_cast<std::ptrdiff_t>(place));
        return {};
    }

    ProgramSpec spec_;
    graph::Graph graph_;
    std::vector<StagePlan> stages_;
    Learner& learner_;
    std::shared_ptr<Program> reference_;
    Setting setting_;
    KnownPrograms known_;
    std::vector<StageStep> steps_;  // by stage
    std::ptrdiff_t mask_ = -1;
    std::ptrdiff_t weight_ = -1;
    std::ptrdiff_t skip_ = 0;
    std::uint64_t versions_ = 0;   // of the parameters, as far as calls tell
    std::vector<std::byte> more_;  // temporary memory
};

// A number of steps that contains every step the graph takes.
std::int64_t tried_steps(const graph::Graph& graph) {
    constexpr std::int64_t kMostTried = 1 << 12;
    std::int64_t out = kTriedRows;
    for (std::size_t id = 1; id < graph.nodes.size(); ++id) {
        if (graph.nodes[id].op->name == "at_time") {
            const std::int64_t index = graph::int_attribute(graph.nodes[id], "index");
            out = std::max(out, index < 0 ? -std::max(index, -kMostTried) : std::min(index, kMostTried) + 1);
        }
    }
    return out;
}

}  // namespace

Status check_compiles(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner) {
    const graph::Graph& graph = *spec.graph;
    Sizes sizes;
    for (const graph::Dim dim : leading_of(graph).value_or(std::vector<graph::Dim>{graph::kLanes})) {
        (dim == graph::kRows   ? sizes.rows
         : dim == graph::kTime ? sizes.time
                               : sizes.lanes) = dim == graph::kTime ? tried_steps(graph) : kTriedRows;
    }
    const bool updates = !stages.empty();
    const Result<std::unique_ptr<Specialised>> tried =
        specialise({.spec = spec,
                    .stages = stages,
                    .learner = learner,
                    .variant = {.due = due_stages(stages, 0),
                                .gradients = updates,
                                .mask = updates && find_row_port(spec.inputs, "mask", true) >= 0,
                                .weight = updates && find_row_port(spec.inputs, "weight", false) >= 0},
                    .sizes = sizes,
                    .writes_state = updates || spec.writes_state,
                    .pool = nullptr});
    return tried ? Status() : Status(tried.error());
}

std::unique_ptr<Program> make_program(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                      std::shared_ptr<Program> reference, const Setting& setting) {
    return std::make_unique<Compiled>(spec, std::move(stages), learner, std::move(reference), setting);
}

}  // namespace tenon::compiled
