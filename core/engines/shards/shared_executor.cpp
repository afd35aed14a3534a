// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/shared_executor.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data/dtype.hpp"
#include "base/device/block.hpp"
#include "compute/exec/rows.hpp"
#include "engines/shards/shared_graph.hpp"

namespace tenon {
namespace {

class Shared final : public Program, private Computed, private Exchange {
public:
    Shared(SharedGraph made, const Learner& learner, Group& group)
        : made_(std::move(made)), learner_(learner), group_(group), columns_(made_.values.size()) {
        for (const SharedValue& value : made_.values) {
            if (!value.metrics.empty() && value.what != OfRows::kCount) {
                of_metrics_.push_back(value.output);
            }
        }
    }

    Status make(Executor& executor, ProgramSpec spec, std::vector<StagePlan> stages, Learner& learner) {
        const bool learns = !spec.graph->stages.empty();
        spec.graph = &made_.graph;
        spec.inputs = made_.inputs;
        spec.outputs = made_.outputs;
        device_ = spec.is_on_device() ? executor.device() : nullptr;
        program_ =
            TENON_TRY(learns ? executor.update(spec, std::move(stages), learner) : executor.forward(spec, learner));
        return {};
    }

    Result<Computed*> run(const Call& call) override {
        inputs_.assign(call.inputs.begin(), call.inputs.end());
        outputs_.assign(call.outputs.begin(), call.outputs.end());
        outputs_.resize(made_.outputs.size(), nullptr);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            TENON_TRY(fit(made_.values[i], columns_[i], call.sizes));
        }
        Call own = call;
        own.inputs = inputs_;
        own.outputs = outputs_;
        own.exchange = this;
        Computed* const by = TENON_TRY(program_->run(own));
        if (!by->is_later()) {
            set_metrics(call.results);
            return by;
        }
        later_ = by;
        sizes_.push_back(call.sizes);
        return this;
    }

private:
    struct Column {
        std::size_t elements = 0;
        std::size_t rows = 0;           // of each element
        std::vector<double> own = {};   // the rows of this shard
        std::vector<std::byte> memory;  // the value
        Block on_device = {};           // the same, for a program that reads it there
    };

    // The handle of updates whose results are reported later.
    [[nodiscard]] std::string_view computed_by() const override { return later_->computed_by(); }
    [[nodiscard]] Enqueued enqueued() const override { return later_->enqueued(); }
    Result<std::vector<Spent>> profile(const Call& call) override { return later_->profile(call); }
    [[nodiscard]] bool is_later() const override { return true; }
    [[nodiscard]] std::size_t unsettled() const override { return later_->unsettled(); }

    // One message has the numbers of all these updates.
    Status settle(const Results& results, const std::function<void()>& told) override {
        const std::span<double> lists[] = {results.losses, results.metrics, results.gradient_norms};
        kept_.clear();
        all_numbers_.clear();
        std::size_t updates = 0;
        Results own = results;
        own.outputs = outputs_;
        Status done = later_->settle(own, [&] {
            for (const std::span<double> list : lists) {
                kept_.insert(kept_.end(), list.begin(), list.end());
            }
            measure_all(sizes_[updates++]);
            tell_numbers(of_metrics_, outputs_, own_place(false));
            all_numbers_.insert(all_numbers_.end(), numbers_.begin(), numbers_.end());
        });
        ExchangeHead head{.numbers = all_numbers_};
        done = done ? group_.sum(head, {}, learner_.real) : done;
        auto kept = kept_.cbegin();
        auto summed = all_numbers_.cbegin();
        for (std::size_t i = 0; i < updates; ++i) {  // those before one that has failed as well
            for (const std::span<double> list : lists) {
                std::copy_n(kept, list.size(), list.begin());
                kept += static_cast<std::ptrdiff_t>(list.size());
            }
            measure_all(sizes_[i]);
            numbers_.resize(count_numbers(of_metrics_, group_.count()));
            std::copy_n(summed, numbers_.size(), numbers_.begin());
            summed += static_cast<std::ptrdiff_t>(numbers_.size());
            put_values(of_metrics_, group_.count());
            set_metrics(results);
            told();
        }
        sizes_.clear();
        return done;
    }

    [[nodiscard]] std::size_t count(const graph::Type& type, const Sizes& sizes) const {
        std::size_t out = 1;
        for (const graph::Dim dim : type.dims) {
            out *= static_cast<std::size_t>(size_of(dim, made_.graph, learner_, sizes));
        }
        return out;
    }

    // The memory of rows never becomes smaller: updates that are reported later may have other sizes.
    void measure(const SharedValue& value, Column& column, const Sizes& sizes) {
        column.elements = count(value.value, sizes);
        column.rows = count(value.rows, sizes) / column.elements;
        column.memory.resize(column.elements * size_of(learner_.real));
        column.own.resize(std::max(column.own.size(), column.elements * column.rows));
    }

    void measure_all(const Sizes& sizes) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            measure(made_.values[i], columns_[i], sizes);
        }
    }

    // Adds the value's column and rows to the inputs and outputs of a run.
    Status fit(const SharedValue& value, Column& column, const Sizes& sizes) {
        measure(value, column, sizes);
        const bool is_column = value.metrics.empty();
        if (is_column && device_ != nullptr && column.on_device.size() < column.memory.size()) {
            column.on_device = TENON_TRY(Block::make(device_, column.memory.size()));
        }
        if (is_column) {
            inputs_.push_back(device_ != nullptr ? column.on_device.memory() : column.memory.data());
        }
        if (value.what != OfRows::kCount) {
            outputs_[value.output] = column.own.data();
            return {};
        }
        const double rows = value_of_all(OfRows::kCount, 0, {}, column.rows, group_.count());
        for (std::size_t i = 0; i < column.elements; ++i) {
            put(column, i, rows);
        }
        return send(value, column);
    }

    void put(Column& column, std::size_t element, double value) const {
        if (learner_.real == DType::kF64) {
            reinterpret_cast<double*>(column.memory.data())[element] = value;
        } else {
            reinterpret_cast<float*>(column.memory.data())[element] = static_cast<float>(value);
        }
    }

    Status send(const SharedValue& value, Column& column) const {
        return device_ == nullptr || !value.metrics.empty()
                   ? Status()
                   : column.on_device.write(column.memory.data(), column.memory.size());
    }

    // Sets the metrics that are values of all rows, as the mean of the value's elements.
    void set_metrics(const Results& results) const {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            double sum = 0;
            for (std::size_t element = 0; element < columns_[i].elements; ++element) {
                const std::byte* const memory = columns_[i].memory.data();
                sum += learner_.real == DType::kF64
                           ? reinterpret_cast<const double*>(memory)[element]
                           : static_cast<double>(reinterpret_cast<const float*>(memory)[element]);
            }
            for (const std::size_t metric : made_.values[i].metrics) {
                if (metric < results.metrics.size()) {
                    results.metrics[metric] = sum / static_cast<double>(columns_[i].elements);
                }
            }
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

    std::size_t count_numbers(std::span<const std::size_t> outputs, std::size_t shards) {
        return each(outputs, shards, [](auto&&...) {});
    }

    [[nodiscard]] OwnPlace own_place(bool alone) const {
        return {.shard = alone ? 0 : group_.rank(), .shards = alone ? 1 : group_.count()};
    }

    // `memory`: of all outputs.
    void tell_numbers(std::span<const std::size_t> outputs, std::span<void* const> memory, const OwnPlace& own) {
        numbers_.resize(count_numbers(outputs, own.shards));
        each(
            outputs, own.shards,
            [&](const SharedValue& value, const Column& column, std::size_t element, std::size_t at, std::size_t told) {
                const auto* const rows = static_cast<const double*>(memory[value.output]);
                tell_rows(value.what, {rows + element * column.rows, column.rows}, own,
                          std::span(numbers_).subspan(at, told));
            });
    }

    void put_values(std::span<const std::size_t> outputs, std::size_t shards) {
        each(outputs, shards,
             [&](const SharedValue& value, Column& column, std::size_t element, std::size_t at, std::size_t told) {
                 put(column, element,
                     value_of_all(value.what, value.share, std::span(numbers_).subspan(at, told), column.rows, shards));
             });
    }

    Status sum(ExchangeHead& head, std::span<Network* const> networks, DType real) override {
        const OwnPlace own = own_place(head.alone);
        // a dry run may write to other memory than its caller's
        tell_numbers(head.outputs, head.call == nullptr ? std::span<void* const>() : head.call->outputs, own);
        ExchangeHead all{.gathered = head.gathered, .numbers = numbers_};
        TENON_TRY(head.alone ? Status() : group_.sum(all, networks, real));
        head.gathered = all.gathered;
        put_values(head.outputs, own.shards);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const SharedValue& value = made_.values[i];
            const bool is_told =
                value.what != OfRows::kCount && std::ranges::find(head.outputs, value.output) != head.outputs.end();
            TENON_TRY(is_told ? send(value, columns_[i]) : Status());
        }
        return {};
    }

    [[nodiscard]] bool links_devices() const override { return group_.links_devices(); }
    // The step is enqueued before anybody waits for the values, which travel as without devices.
    Status sum_on_device(ExchangeHead& head, std::span<Network* const> networks, DeviceSlabs& slabs) override {
        TENON_TRY(group_.sum_on_device(head, networks, slabs));
        ExchangeHead values{.outputs = head.outputs, .call = head.call};
        return head.outputs.empty() ? Status() : sum(values, {}, learner_.real);
    }

    void distrust() override { group_.distrust(); }
    [[nodiscard]] bool is_distrusted() const override { return group_.is_distrusted(); }
    [[nodiscard]] ExchangeTimes times() const override { return group_.times(); }
    void forget_times() override { group_.forget_times(); }

    SharedGraph made_;
    const Learner& learner_;
    Group& group_;
    std::shared_ptr<Device> device_;  // on which the program's columns are; null: they are the host's
    std::unique_ptr<Program> program_;
    std::vector<Column> columns_;  // as made_.values
    std::vector<const void*> inputs_;
    std::vector<void*> outputs_;
    std::vector<double> numbers_;
    std::vector<std::size_t> of_metrics_;  // outputs of values that only metrics are
    Computed* later_ = nullptr;            // of updates that are reported later
    std::vector<Sizes> sizes_;             // of these updates
    std::vector<double> kept_;             // their losses, metrics and norms
    std::vector<double> all_numbers_;
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
