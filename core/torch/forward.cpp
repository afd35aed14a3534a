// SPDX-License-Identifier: Apache-2.0
#include "torch/forward.hpp"

#include "torch/dependence.hpp"
#include "torch/effects.hpp"
#include "torch/guard.hpp"
#include "torch/leaves.hpp"

namespace tenon::reference {
namespace {

using graph::NodeId;
using graph::ValueId;

std::vector<ValueId> read_values(const graph::Graph& graph) {
    std::vector<ValueId> out;
    for (const auto* list : {&graph.writes, &graph.metrics, &graph.controls, &graph.checks, &graph.prints}) {
        for (const graph::Named& named : *list) {
            out.push_back(named.value);
        }
    }
    return out;
}

class Forward final : public Program {
public:
    Forward(const ProgramSpec& spec, DType real, Learner& learner, PrintLine print)
        : name_(spec.name),
          graph_(*spec.graph),
          outputs_(spec.outputs),
          learner_(learner),
          print_(print),
          evaluator_(graph_, real, spec.seed, spec.inputs, learner),
          leading_(leading_of(graph_)) {}

    Status prepare() {
        const std::vector<bool> needed = ancestors(graph_, read_values(graph_));
        if (Status added = evaluator_.add_all(needed); !added) {
            return added;
        }
        Result<std::vector<Leaf>> leaves = find_leaves(evaluator_, needed, learner_);
        if (!leaves) {
            return leaves.error();
        }
        leaves_ = std::move(*leaves);
        for (std::size_t i = 0; i < graph_.writes.size() && i < outputs_.size(); ++i) {
            if (Status fits = fits_output(graph_, graph_.writes[i], outputs_[i]); !fits) {
                return fits;
            }
        }
        for (NodeId id = 1; id < needed.size(); ++id) {
            const bool runs = needed[id] && scan_of(graph_, graph_.nodes[id].region) == 0;
            if (runs && evaluator_.step(id).source != Source::kLeaf &&
                evaluator_.step(id).source != Source::kConstant) {
                order_.push_back(id);
            }
        }
        release_ = releases(evaluator_, order_, read_values(graph_));
        return {};
    }

    Status run(const Call& call) override {
        use_one_thread();
        try {
            return run_guarded(call);
        } catch (...) {
            return problem_of(std::current_exception(), name_, graph_, evaluator_.current());
        }
    }

private:
    Status run_guarded(const Call& call) {
        const c10::InferenceMode inference;
        for (Leaf& leaf : leaves_) {
            refresh(leaf, learner_, evaluator_.real());
            evaluator_.value(leaf.value) = leaf.view;
        }
        for (std::size_t i = 0; i < order_.size(); ++i) {
            evaluator_.compute(order_[i], call);
            for (const ValueId value : release_[i]) {
                evaluator_.value(value).reset();
            }
        }
        return effects(call);
    }

    Status effects(const Call& call) {
        for (const graph::Named& print : graph_.prints) {
            if (print_ != nullptr) {
                print_(print_line(evaluator_, print));
            }
        }
        for (const graph::Named& named : graph_.checks) {
            if (Status passed = check(evaluator_, named, name_); !passed) {
                return passed;
            }
        }
        for (std::size_t i = 0; i < call.metrics.size(); ++i) {
            call.metrics[i] = mean_of(evaluator_.value(graph_.metrics[i].value));
        }
        for (std::size_t i = 0; i < call.controls.size(); ++i) {
            call.controls[i] = mean_of(evaluator_.value(graph_.controls[i].value));
        }
        for (std::size_t i = 0; i < call.outputs.size(); ++i) {
            if (call.outputs[i] != nullptr) {
                write_output(evaluator_, graph_.writes[i].value, outputs_[i], call.outputs[i], call.sizes, leading_);
            }
        }
        return {};
    }

    std::string name_;
    const graph::Graph graph_;  // a copy: the caller's may go
    std::vector<PortSpec> outputs_;
    Learner& learner_;
    PrintLine print_;
    Evaluator evaluator_;
    std::optional<std::vector<graph::Dim>> leading_;
    std::vector<Leaf> leaves_;
    std::vector<NodeId> order_;
    std::vector<std::vector<ValueId>> release_;  // after each
};

}  // namespace

Result<std::unique_ptr<Program>> make_forward(const ProgramSpec& spec, DType real, Learner& learner, PrintLine print) {
    const at::NoGradGuard no_grad;
    auto program = std::make_unique<Forward>(spec, real, learner, print);
    if (Status ready = program->prepare(); !ready) {
        return ready.error();
    }
    return std::unique_ptr<Program>(std::move(program));
}

}  // namespace tenon::reference
