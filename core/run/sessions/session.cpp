// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/session.hpp"

#include <cstddef>
#include <utility>

namespace tenon {
namespace {

std::vector<Term> named(const auto& list, std::span<const double> values) {
    std::vector<Term> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        out.push_back({list[i].name, values[i]});
    }
    return out;
}

// The columns that the update reads: dense rows in the dtype and shape of the storage.
Result<std::vector<const void*>> inputs_of(const Batch& rows, std::span<const Port> ports) {
    std::vector<const void*> out;
    for (const Port& port : ports) {
        const View* view = rows.find(port.key);
        if (view == nullptr) {
            return input_problem("the batch has no column '" + port.key + "', which the objective reads");
        }
        const Shape wanted = join(rows.leading(), port.row);
        if (view->dtype != port.dtype || view->shape != wanted || !view->contiguous()) {
            return input_problem("the column '" + port.key + "' of the batch must be dense " +
                                 std::string(name_of(port.dtype)) + " " + to_string(wanted) + ", but is " +
                                 std::string(name_of(view->dtype)) + " " + to_string(view->shape));
        }
        out.push_back(view->data);
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
    if (Status ready = out->prepare(); !ready) {
        problems.push_back(std::move(ready).error());
        return nullptr;
    }
    return out;
}

Status Session::prepare() {
    Wiring& wiring = *setup_.wiring;
    Result<std::unique_ptr<Executor>> loaded = load_executor_of(wiring, setup_.host->pool);
    if (!loaded) {
        return std::move(loaded).error();
    }
    executor_ = std::move(*loaded);
    Result<std::unique_ptr<Trainer>> trainer = Trainer::make(wiring, setup_.running, *setup_.host, executor_.get());
    if (!trainer) {
        return std::move(trainer).error();
    }
    trainer_ = std::move(*trainer);
    return {};
}

Status Session::collect(std::int64_t steps) {
    for (std::int64_t i = 0; i < steps; ++i) {
        if (Status done = trainer_->collect(); !done) {
            return done;
        }
    }
    return {};
}

Result<Batch> Session::sample() {
    LearningUnit* const unit = this->unit();
    if (unit == nullptr || !unit->samples()) {
        return input_problem("there is nothing to sample: the manifest needs an [objective] and a [buffer]");
    }
    if (Status stored = unit->store_new(); !stored) {
        return std::move(stored).error();
    }
    Result<ChosenRows> chosen = unit->choose(static_cast<std::uint64_t>(samples_++));
    if (!chosen) {
        return std::move(chosen).error();
    }
    const Result<std::span<void* const>> gathered = unit->updater().gather(*chosen);
    if (!gathered) {
        return gathered.error();
    }
    const std::span<void* const> columns = *gathered;
    const std::span<const Port> ports = unit->updater().ports();
    sampled_ = columns.empty() ? nullptr : columns.front();
    const Sizes& sizes = chosen->sizes;
    const Shape leading = sizes.time > 0 ? Shape{sizes.time, sizes.lanes} : Shape{sizes.rows};
    Batch out(leading);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const Shape shape = join(leading, ports[i].row);
        if (Status put = out.set(ports[i].key, dense(columns[i], ports[i].dtype, shape)); !put) {
            return std::move(put).error();
        }
    }
    return out;
}

// Whether the rows are those of the buffer's latest sample, at the same address.
bool Session::is_last_sample(const Batch& rows) {
    const std::span<const Port> ports = unit()->updater().ports();
    const View* const first = ports.empty() ? nullptr : rows.find(ports.front().key);
    return first != nullptr && first->data == sampled_ && rows.leading().elements() == unit()->plan().train.minibatch;
}

Result<Terms> Session::evaluate(const Batch& rows) {
    return compute(rows, false);
}

Result<Terms> Session::update(const Batch& rows) {
    Result<Terms> terms = compute(rows, true);
    if (!terms) {
        return terms;
    }
    if (is_last_sample(rows)) {
        if (Status taken = unit()->prioritise(); !taken) {
            return std::move(taken).error();
        }
    }
    unit()->count_update();
    return terms;
}

Result<Terms> Session::compute(const Batch& rows, bool changes) {
    if (unit() == nullptr) {
        return input_problem("there is nothing to compute: the manifest needs an [objective]");
    }
    Updater& updater = unit()->updater();
    Result<std::vector<const void*>> inputs = inputs_of(rows, updater.ports());
    if (!inputs) {
        return std::move(inputs).error();
    }
    const Shape& leading = rows.leading();
    if (leading.elements() == 0) {
        return input_problem("the batch has no rows: there is nothing to compute");
    }
    const Sizes sizes = leading.rank == 2 ? Sizes{.rows = 0, .time = leading[0], .lanes = leading[1]}
                                          : Sizes{.rows = leading.elements(), .time = 0, .lanes = 0};
    const auto counter = static_cast<std::uint64_t>(updates());
    if (Status done = updater.compute(*inputs, sizes, trainer_->numbers(), counter, {.dry = !changes}); !done) {
        return std::move(done).error();
    }
    const graph::Graph& graph = unit()->plan().update.graph;
    return Terms{named(graph.losses, updater.losses()), named(graph.metrics, updater.metrics())};
}

Result<Score> Session::score() {
    if (!evaluator_) {
        const Manifest& manifest = setup_.wiring->manifest;
        Result<std::unique_ptr<Evaluator>> made = Evaluator::make(
            *setup_.wiring, trainer_->collector().lanes(), {}, *setup_.host, executor_.get(), trainer_->learner(),
            manifest.eval.episodes, static_cast<std::uint64_t>(manifest.eval.seed.value_or(manifest.run.seed)));
        if (!made) {
            return std::move(made).error();
        }
        evaluator_ = std::move(*made);
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
