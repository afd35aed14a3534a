// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/shared_executor.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data/dtype.hpp"
#include "compute/exec/rows.hpp"
#include "engines/shards/shared_graph.hpp"

namespace tenon {
namespace {

class Shared final : public Program, private Exchange {
public:
    Shared(SharedGraph made, const Learner& learner, Group& group)
        : made_(std::move(made)), learner_(learner), group_(group), columns_(made_.values.size()) {}

    Status make(Executor& executor, ProgramSpec spec, std::vector<StagePlan> stages, Learner& learner) {
        const bool learns = !spec.graph->stages.empty();
        spec.graph = &made_.graph;
        spec.inputs = made_.inputs;
        spec.outputs = made_.outputs;
        program_ =
            TENON_TRY(learns ? executor.update(spec, std::move(stages), learner) : executor.forward(spec, learner));
        return {};
    }

    Result<Computed*> run(const Call& call) override {
        inputs_.assign(call.inputs.begin(), call.inputs.end());
        outputs_.assign(call.outputs.begin(), call.outputs.end());
        outputs_.resize(made_.outputs.size(), nullptr);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            fit(made_.values[i], columns_[i], call.sizes);
            inputs_.push_back(columns_[i].memory.data());
            if (made_.values[i].what != OfRows::kCount) {
                outputs_[made_.values[i].output] = columns_[i].own.data();
            }
        }
        Call own = call;
        own.inputs = inputs_;
        own.outputs = outputs_;
        own.exchange = this;
        return program_->run(own);
    }

private:
    struct Column {
        std::size_t elements = 0;
        std::size_t rows = 0;           // of each element
        std::vector<double> own = {};   // the rows of this shard
        std::vector<std::byte> memory;  // the value
    };

    [[nodiscard]] std::size_t count(const graph::Type& type, const Sizes& sizes) const {
        std::size_t out = 1;
        for (const graph::Dim dim : type.dims) {
            out *= static_cast<std::size_t>(size_of(dim, made_.graph, learner_, sizes));
        }
        return out;
    }

    void fit(const SharedValue& value, Column& column, const Sizes& sizes) {
        column.elements = count(value.value, sizes);
        column.rows = count(value.rows, sizes) / column.elements;
        column.memory.resize(column.elements * size_of(learner_.real));
        if (value.what != OfRows::kCount) {
            column.own.resize(column.elements * column.rows);
            return;
        }
        const double rows = value_of_all(OfRows::kCount, 0, {}, column.rows, group_.count());
        for (std::size_t i = 0; i < column.elements; ++i) {
            put(column, i, rows);
        }
    }

    void put(Column& column, std::size_t element, double value) const {
        if (learner_.real == DType::kF64) {
            reinterpret_cast<double*>(column.memory.data())[element] = value;
        } else {
            reinterpret_cast<float*>(column.memory.data())[element] = static_cast<float>(value);
        }
    }

    // Each of the values whose outputs these are, with its place among the numbers.
    template <class F>
    std::size_t each(std::span<const std::size_t> outputs, std::size_t shards, F f) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const SharedValue& value = made_.values[i];
            if (value.what == OfRows::kCount || std::ranges::find(outputs, value.output) == outputs.end()) {
                continue;
            }
            const std::size_t told = told_by(value.what, columns_[i].rows, shards);
            for (std::size_t element = 0; element < columns_[i].elements; ++element, at += told) {
                f(value, columns_[i], element, at, told);
            }
        }
        return at;
    }

    Status sum(ExchangeHead& head, std::span<Network* const> networks, DType real) override {
        const std::size_t shards = head.alone ? 1 : group_.count();
        const OwnPlace own{.shard = head.alone ? 0 : group_.rank(), .shards = shards};
        numbers_.resize(each(head.outputs, shards, [](auto&&...) {}));
        each(
            head.outputs, shards,
            [&](const SharedValue& value, const Column& column, std::size_t element, std::size_t at, std::size_t told) {
                // a dry run may write to other memory than its caller's
                const auto* const rows = static_cast<const double*>(head.call->outputs[value.output]);
                tell_rows(value.what, {rows + element * column.rows, column.rows}, own,
                          std::span(numbers_).subspan(at, told));
            });
        ExchangeHead all{.gathered = head.gathered, .numbers = numbers_};
        TENON_TRY(head.alone ? Status() : group_.sum(all, networks, real));
        head.gathered = all.gathered;
        each(head.outputs, shards,
             [&](const SharedValue& value, Column& column, std::size_t element, std::size_t at, std::size_t told) {
                 put(column, element,
                     value_of_all(value.what, value.share, std::span(numbers_).subspan(at, told), column.rows, shards));
             });
        return {};
    }

    void distrust() override { group_.distrust(); }
    [[nodiscard]] bool is_distrusted() const override { return group_.is_distrusted(); }
    [[nodiscard]] ExchangeTimes times() const override { return group_.times(); }
    void forget_times() override { group_.forget_times(); }

    SharedGraph made_;
    const Learner& learner_;
    Group& group_;
    std::unique_ptr<Program> program_;
    std::vector<Column> columns_;  // as made_.values
    std::vector<const void*> inputs_;
    std::vector<void*> outputs_;
    std::vector<double> numbers_;
};

class SharedExecutor final : public Executor {
public:
    SharedExecutor(std::unique_ptr<Executor> inner, Group& group) : inner_(std::move(inner)), group_(group) {}

    [[nodiscard]] std::string_view name() const override { return inner_->name(); }
    [[nodiscard]] std::shared_ptr<Device> device() const override { return inner_->device(); }
    [[nodiscard]] std::uint32_t equal_rows() const override { return inner_->equal_rows(); }

    // Only programs of whole batches write states.
    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        return spec.writes_state ? share(spec, {}, learner) : inner_->forward(spec, learner);
    }

    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        return share(spec, std::move(stages), learner);
    }

private:
    Result<std::unique_ptr<Program>> share(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner) {
        SharedGraph made = share_rows(spec, learner.real);
        if (made.values.empty()) {
            return stages.empty() ? inner_->forward(spec, learner) : inner_->update(spec, std::move(stages), learner);
        }
        auto out = std::make_unique<Shared>(std::move(made), learner, group_);
        TENON_TRY(out->make(*inner_, spec, std::move(stages), learner));
        return std::unique_ptr<Program>(std::move(out));
    }

    std::unique_ptr<Executor> inner_;
    Group& group_;
};

}  // namespace

std::unique_ptr<Executor> make_shared_executor(std::unique_ptr<Executor> inner, Group& group) {
    return inner == nullptr ? nullptr : std::make_unique<SharedExecutor>(std::move(inner), group);
}

}  // namespace tenon
