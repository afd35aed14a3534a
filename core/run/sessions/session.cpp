// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/session.hpp"

#include <cstddef>

#include "base/data/batch_ports.hpp"
#include "base/data/flags.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/update_device.hpp"

namespace tenon {
namespace {

std::vector<Term> named(const auto& list, std::span<const double> values) {
    std::vector<Term> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        out.push_back({list[i].name, values[i]});
    }
    return out;
}

}  // namespace

std::unique_ptr<Session> Session::open(const Request& request, Problems& problems) {
    const std::size_t before = problems.size();
    std::unique_ptr<Session> out(new Session);
    out->setup_ = set_up(request, problems);
    if (problems.size() != before) {
        return nullptr;
    }
    if (!is_done(out->prepare(), problems)) {
        return nullptr;
    }
    return out;
}

Status Session::prepare() {
    const Wiring& wiring = *setup_.wiring;
    if (learns_on_device(wiring)) {
        return input_problem("updates are computed on " + wiring.device->name +
                                 ", but a program's own loop has the parameters in place, so that they must be "
                                 "computed on the CPU",
                             place_of(wiring.manifest, "run.device"), "set run.learn_on = \"cpu\"");
    }
    executor_ = TENON_TRY(load_executor_of(wiring, setup_.host->pool, {}, {}, nullptr, true));
    trainer_ = TENON_TRY(Trainer::make(wiring, setup_.running, *setup_.host, executor_.get()));
    return {};
}

Status Session::collect(std::int64_t steps) {
    for (std::int64_t i = 0; i < steps; ++i) {
        TENON_TRY(trainer_->collect());
    }
    return {};
}

Result<Batch> Session::rollout(std::int64_t steps, const RolloutOptions& options) {
    PresentParts parts = {{.feature = Feature::kRollout,
                           .subject = "a rollout",
                           .place = place_of(setup_.wiring->manifest, "collector.kind")}};
    add_collector_parts(*setup_.wiring, parts);
    Problems problems;
    refuse_combinations(parts, problems);
    if (!problems.empty()) {
        return std::move(problems.front());
    }
    const Storage& storage = std::as_const(*trainer_).source().storage();
    if (steps < 1 || steps >= storage.slots()) {
        return input_problem("a rollout cannot have " + std::to_string(steps) + " steps; it must have 1 to " +
                             std::to_string(storage.slots() - 1) + ", the steps of each lane that the storage holds");
    }
    std::uint32_t made = 0;
    for (bool more = true; more && made < steps;) {
        TENON_TRY(trainer_->collect());
        ++made;
        const std::size_t last = std::size_t{storage.slot_back(1)} * storage.lanes();
        const auto ended = [&](const std::uint8_t* flags) { return any_set({flags + last, storage.lanes()}); };
        more = !(options.until_any_done && (ended(storage.flags().terminated) || ended(storage.flags().truncated)));
        more = (!options.after_step || options.after_step(made)) && more;
    }
    if (!rollout_ || made > rollout_steps_) {
        rollout_ =
            TENON_TRY(Rollout::make(storage, reader_keys(storage), "the program", static_cast<std::uint32_t>(steps)));
        rollout_steps_ = static_cast<std::uint32_t>(steps);
    }
    rollout_->assemble(storage.slot_back(made), made);
    return batch_of(*rollout_);
}

Result<Batch> Session::sample(std::int64_t rows) {
    LearningUnit* const unit = this->unit();
    if (unit == nullptr || !unit->samples()) {
        return input_problem("there is nothing to sample: the manifest needs an [objective] and a [buffer]");
    }
    TENON_TRY(unit->store_new());
    rows = rows == 0 ? unit->plan().train.minibatch : rows;
    TENON_TRY(unit->reserve(rows));
    ChosenRows chosen = TENON_TRY(unit->choose(static_cast<std::uint64_t>(samples_++), rows));
    const std::span<void* const> gathered = TENON_TRY(unit->updater().gather(chosen));
    const std::span<void* const> columns = gathered;
    sampled_ = columns.empty() ? nullptr : columns.front();
    sampled_rows_ = rows;
    const Sizes& sizes = chosen.sizes;
    return batch_of(unit->updater().ports(), columns,
                    sizes.time > 0 ? Shape{sizes.time, sizes.lanes} : Shape{sizes.rows});
}

// Whether these are the rows of the buffer's latest sample, in the same memory.
bool Session::is_last_sample(const Batch& rows) {
    const std::span<const Port> ports = unit()->updater().ports();
    const View* const first = ports.empty() ? nullptr : rows.find(ports.front().key);
    return first != nullptr && first->data == sampled_ && rows.leading().elements() == sampled_rows_;
}

Result<Terms> Session::update(const Batch& rows) {
    Terms terms = TENON_TRY(compute(rows, true));
    if (is_last_sample(rows)) {
        TENON_TRY(unit()->prioritise());
    }
    unit()->count_update();
    return terms;
}

Result<Terms> Session::compute(const Batch& rows, bool changes) {
    if (unit() == nullptr) {
        return input_problem("there is nothing to compute: the manifest needs an [objective]");
    }
    Updater& updater = unit()->updater();
    std::vector<const void*> inputs = TENON_TRY(columns_of(rows, updater.ports(), "the objective"));
    const Shape& leading = rows.leading();
    if (leading.elements() == 0) {
        return input_problem("the batch has no rows: there is nothing to compute");
    }
    const Sizes sizes = leading.rank == 2 ? Sizes{.rows = 0, .time = leading[0], .lanes = leading[1]}
                                          : Sizes{.rows = leading.elements(), .time = 0, .lanes = 0};
    TENON_TRY(updater.compute({.sizes = sizes,
                               .inputs = inputs,
                               .numbers = trainer_->numbers(),
                               .random = {.counter = static_cast<std::uint64_t>(updates())},
                               .part = {.mode = changes ? StepMode::kStep : StepMode::kDryGradients}}));
    const graph::Graph& graph = unit()->plan().update.graph;
    return Terms{named(graph.losses, updater.losses()), named(graph.metrics, updater.metrics())};
}

Result<Score> Session::score() {
    if (!evaluator_) {
        const Manifest& manifest = setup_.wiring->manifest;
        evaluator_ = TENON_TRY(Evaluator::make(
            *setup_.wiring, trainer_->source().lanes(), {}, *setup_.host, executor_.get(), trainer_->learner(),
            manifest.eval.episodes, static_cast<std::uint64_t>(manifest.eval.seed.value_or(manifest.run.seed))));
    }
    Result<std::optional<Score>> score = evaluator_->run(trainer_->numbers());
    return score ? Result<Score>(**score) : std::move(score).error();
}

std::vector<ParameterView> Session::parameters() {
    const DType real = setup_.wiring->real();
    std::vector<ParameterView> out;
    for (Network& network : trainer_->learner().networks) {
        for (const Parameter& parameter : network.layout.parameters) {
            Shape shape(std::span<const std::int64_t>(parameter.shape));
            if (network.layout.ensemble) {
                shape = join(Shape{network.layout.members}, shape);
            }
            const auto view = [&](Slab& slab) {
                return dense(static_cast<std::byte*>(slab.data()) + parameter.offset * size_of(real), real, shape);
            };
            out.push_back({network.layout.role, parameter.name, view(network.live),
                           parameter.trainable ? view(network.gradient) : View{}});
        }
    }
    return out;
}

}  // namespace tenon
