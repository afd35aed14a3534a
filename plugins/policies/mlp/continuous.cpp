// SPDX-License-Identifier: Apache-2.0
#include "continuous.hpp"

#include "composite.hpp"
#include "gsde.hpp"
#include "hybrid.hpp"

TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Normal>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::TanhNormal>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::TruncatedNormal>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Deterministic>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Gsde>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::TanhGsde>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Hybrid>>);
TENON_CODE(tenon::GraphComponent<tenon::ActorFunctions<mlp::Composite>>);
