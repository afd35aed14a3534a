// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/eager.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "compute/graph/draw.hpp"
#include "engines/torch/align.hpp"
#include "engines/torch/evaluator.hpp"
#include "engines/torch/guard.hpp"
#include "engines/torch/placement.hpp"

namespace tenon::reference {
namespace {

constexpr double kMadeUp = 0.1;  // standard deviation of random parameters, if no learner has them yet

class Eager final : public EagerEvaluator {
public:
    Eager(DType real, const SampleBatch& sample, Learner& learner) : dtype_(real), sample_(sample), learner_(learner) {
        for (const SampleColumn& column : sample.columns) {
            ports_.push_back(column.port);
            memory_.push_back(column.data);
        }
    }

    Status added(const graph::Graph& graph, graph::NodeId node) override {
        use_one_thread();
        const c10::InferenceMode inference;
        try {
            if (evaluator_ == nullptr || &evaluator_->graph() != &graph) {
                evaluator_ =
                    std::make_unique<Evaluator>(graph, dtype_, sample_.seed, ports_, learner_, sample_.members);
            }
            evaluator_->grow();
            TENON_TRY(evaluator_->add(node));
            compute(node);
            return {};
        } catch (...) {
            return problem_of(std::current_exception(), "eager", graph, node);
        }
    }

    Result<std::uint64_t> peek(graph::ValueId value, std::span<double> data) override {
        const bool known = evaluator_ != nullptr && value != 0 && value < evaluator_->graph().values.size();
        if (!known || !evaluator_->value(value).defined()) {
            return plugin_problem("value " + std::to_string(value) + " has not been computed");
        }
        try {
            const at::Tensor plain = evaluator_->value(value).to(at::kDouble).contiguous();
            const auto count = static_cast<std::size_t>(plain.numel());
            std::copy_n(plain.const_data_ptr<double>(), std::min(count, data.size()), data.begin());
            return std::uint64_t{count};
        } catch (...) {
            return problem_of(std::current_exception(), "eager", evaluator_->graph(), 0);
        }
    }

private:
    void compute(graph::NodeId id) {
        const Step& step = evaluator_->step(id);
        if (step.source == Source::kLeaf) {
            evaluator_->value(step.out) = parameter(id, step);
        } else if (step.source == Source::kArgument) {
            evaluator_->value(step.out) = first_argument(id);
        } else if (evaluator_->graph().nodes[id].output_count > 0) {
            evaluator_->compute(id, {.sizes = sample_.sizes, .inputs = memory_, .numbers = {.live = sample_.live}});
        }
    }

    // The learner's value, or small random numbers of the right shape while the layout is still being declared.
    at::Tensor parameter(graph::NodeId id, const Step& step) {
        const graph::Node& node = evaluator_->graph().nodes[id];
        const std::string& role = graph::string_attribute(node, "role");
        const std::string& name = graph::string_attribute(node, "name");
        if (Network* network = learner_.find(role); network != nullptr && !network->live.empty()) {
            if (const Parameter* known = network->layout.find(name); known != nullptr) {
                return view_of(network->layout, *known, network->live.as<std::byte>(),
                               at::TensorOptions(evaluator_->real()));
            }
        }
        at::Tensor made = at::empty(evaluator_->shape(step.frame.out, sample_.sizes), at::TensorOptions(at::kDouble));
        fill_normal(make_key(sample_.seed, "eager/" + role + "/" + name), 0, made.data_ptr<double>(),
                    static_cast<std::uint64_t>(made.numel()));
        return made.mul(kMadeUp).to(evaluator_->real());
    }

    // Inside a scan the author sees the first step.
    at::Tensor first_argument(graph::NodeId id) {
        const graph::Graph& graph = evaluator_->graph();
        const graph::Region& region =
            graph.regions[static_cast<std::size_t>(graph::int_attribute(graph.nodes[id], "region"))];
        const std::int64_t number = graph::int_attribute(graph.nodes[id], "number");
        const graph::ValueId outside = region.arguments[static_cast<std::size_t>(number)];
        const at::Tensor& value = evaluator_->value(outside);
        return number < region.carries ? value : value.select(position_of(graph.type(outside), region.steps), 0);
    }

    DType dtype_;
    SampleBatch sample_;
    Learner& learner_;
    std::vector<Port> ports_;
    std::vector<const void*> memory_;
    std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace

std::unique_ptr<EagerEvaluator> make_eager(DType real, const SampleBatch& sample, Learner& learner) {
    return std::make_unique<Eager>(real, sample, learner);
}

}  // namespace tenon::reference
