// SPDX-License-Identifier: Apache-2.0
// Multi-layer perceptrons with the heads that most algorithms need.
#include "composite.hpp"
#include "continuous.hpp"
#include "discrete.hpp"
#include "distributional.hpp"
#include "features.hpp"
#include "gsde.hpp"
#include "hybrid.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"
#include "values.hpp"

// The code of each is in the .cpp file next to its header.
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Normal>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::TanhNormal>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::TruncatedNormal>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Deterministic>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Gsde>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::TanhGsde>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Categorical>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::OneHot>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::MultiCategorical>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Bernoulli>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Hybrid>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Composite>>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<mlp::Features>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<mlp::C51>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<mlp::Quantiles>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<mlp::QValue>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<mlp::StateValue>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<mlp::Q>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<mlp::JointQ>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<mlp::QQuantiles>);

TENON_PLUGIN(
    "mlp", "0.1.0", tenon::policy_graph<mlp::QValue>("q_value", "values of all choices of an action; acts greedily"),
    tenon::policy_graph<mlp::C51>("c51", "probabilities of the returns of all categorical actions"),
    tenon::policy_graph<mlp::Quantiles>("qr", "quantiles of the returns of all categorical actions"),
    tenon::actor<mlp::Categorical>("categorical", "a distribution over categorical actions"),
    tenon::actor<mlp::OneHot>("one_hot", "a distribution over one-hot actions"),
    tenon::actor<mlp::MultiCategorical>("multi_categorical", "distributions over several choices at once"),
    tenon::actor<mlp::Bernoulli>("bernoulli", "a probability of yes for each element of a binary action"),
    tenon::actor<mlp::Normal>("normal", "a normal distribution for each element of a continuous action without bounds"),
    tenon::actor<mlp::TanhNormal>("tanh_normal",
                                  "a normal distribution squashed into the bounds of a continuous action"),
    tenon::actor<mlp::TruncatedNormal>("truncated_normal",
                                       "a normal distribution truncated at the bounds of a continuous action"),
    tenon::actor<mlp::Gsde>("gsde", "a normal distribution whose noise is a function of the state"),
    tenon::actor<mlp::TanhGsde>("tanh_gsde", "the same, squashed into the bounds of a continuous action"),
    tenon::actor<mlp::Hybrid>("hybrid", "choices and real numbers as elements of one bounded action"),
    tenon::actor<mlp::Composite>("composite", "one head per column of an action with several columns"),
    tenon::actor<mlp::Deterministic>("deterministic", "a deterministic action, squashed into its bounds"),
    tenon::policy_graph<mlp::Features>("features", "a trunk whose output other networks read"),
    tenon::policy_graph<mlp::StateValue>("value", "the value of a state"),
    tenon::policy_graph<mlp::Q>("q", "the value of a continuous action in a state"),
    tenon::policy_graph<mlp::JointQ>("joint_q", "the value of the continuous actions of all agents of a group"),
    tenon::policy_graph<mlp::QQuantiles>("q_quantiles", "quantiles of the return of a continuous action in a state"));
