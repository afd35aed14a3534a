// SPDX-License-Identifier: Apache-2.0
// Hooks: what watches a run and steers it.
#include "curriculum.hpp"
#include "early_stop.hpp"
#include "histogram.hpp"
#include "kl_adaptive_lr.hpp"
#include "network_histogram.hpp"
#include "quantiles.hpp"
#include "reward_log.hpp"

TENON_PLUGIN("hooks", "0.1.0", tenon::hook<EarlyStop>("early_stop", "ends a run whose metric has stopped improving"),
             tenon::hook<KlAdaptiveLr>("kl_adaptive_lr", "moves the learning rate to keep the divergence of updates"),
             tenon::hook<Curriculum>("curriculum", "moves an option by the share of episodes that succeed"),
             tenon::hook<Quantiles>("quantiles", "how the values of a column are distributed in each round"),
             tenon::hook<Histogram>("histogram", "how many values of a column are in each bin, in each round"),
             tenon::hook<NetworkHistogram>("network_histogram", "how many gradients or parameters are in each bin"),
             tenon::hook<RewardLog>("reward_log", "mean and spread of rewards, in each round and running"));
