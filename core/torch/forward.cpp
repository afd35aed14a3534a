// SPDX-License-Identifier: Apache-2.0
#include "torch/forward.hpp"

#include <ATen/core/grad_mode.h>

#include "exec/composites.hpp"
#include "graph/dependence.hpp"
#include "torch/body.hpp"
#include "torch/guard.hpp"
#include "torch/releases.hpp"

namespace tenon::reference {
namespace {

using graph::NodeId;
using graph::ValueId;

class Forward final : public Program {
public:
    Forward(const ProgramSpec& spec, DType real, Learner& learner, PrintLine print)
        : body_(spec, real, learner, print, spec.writes_state) {}

    Status prepare() {
        if (Status ready = body_.prepare(); !ready) {
            return ready;
        }
        const graph::Graph& graph = body_.graph;
        for (NodeId id = 1; id < body_.needed.size(); ++id) {
            const bool runs = body_.needed[id] && graph::scan_of(graph, graph.nodes[id].region) == 0;
            if (runs && body_.evaluator.step(id).source != Source::kLeaf &&
                body_.evaluator.step(id).source != Source::kConstant) {
                order_.push_back(id);
            }
        }
        release_ = releases(body_.evaluator, order_, body_.effects);
        return {};
    }

    Status run(const Call& call) override {
        use_one_thread();
        try {
            return run_guarded(call);
        } catch (...) {
            return problem_of(std::current_exception(), body_.name, body_.graph, body_.evaluator.current());
        }
    }

private:
    Status run_guarded(const Call& call) {
        const c10::InferenceMode inference;
        Evaluator& evaluator = body_.evaluator;
        for (Leaf& leaf : body_.leaves) {
            refresh(leaf, body_.learner, evaluator.real());
            evaluator.value(leaf.read.value) = leaf.view;
        }
        for (std::size_t i = 0; i < order_.size(); ++i) {
            evaluator.compute(order_[i], call);
            for (const ValueId value : release_[i]) {
                evaluator.value(value).reset();
            }
        }
        if (Status done = body_.run_effects(call); !done) {
            return done;
        }
        if (!call.part.dry) {
            body_.commit_state();
        }
        return {};
    }

    Body body_;
    std::vector<NodeId> order_;
    std::vector<std::vector<ValueId>> release_;  // after each node
};

}  // namespace

Result<std::unique_ptr<Program>> make_forward(const ProgramSpec& spec, DType real, Learner& learner, PrintLine print) {
    const at::NoGradGuard no_grad;
    const graph::Graph graph = with_composites(*spec.graph);
    ProgramSpec whole = spec;
    whole.graph = &graph;
    auto program = std::make_unique<Forward>(whole, real, learner, print);
    if (Status ready = program->prepare(); !ready) {
        return ready.error();
    }
    return std::unique_ptr<Program>(std::move(program));
}

}  // namespace tenon::reference
