// SPDX-License-Identifier: Apache-2.0
// Policies that predict chunks: several actions in a row.
#include "cvae.hpp"
#include "denoiser.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

TENON_PLUGIN("chunks", "0.1.0",
             tenon::policy_graph<chunks::Cvae>("cvae", "chunks of actions by a latent variable, as in ACT"),
             tenon::policy_graph<chunks::Denoiser>("denoiser", "chunks of actions out of noise: a diffusion policy"));
