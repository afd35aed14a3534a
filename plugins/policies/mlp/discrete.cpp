// SPDX-License-Identifier: Apache-2.0
#include "discrete.hpp"

TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Categorical>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::OneHot>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::MultiCategorical>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Bernoulli>>);
