// SPDX-License-Identifier: Apache-2.0
// Convolutional trunks, which turn images into feature vectors for the networks of other plugins.
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"
#include "trunks.hpp"

TENON_PLUGIN("cnn", "0.1.0",
             tenon::policy_graph<cnn::Nature>("nature", "a trunk for images: three filters, as in Mnih et al. 2015"),
             tenon::policy_graph<cnn::Impala>("impala",
                                              "a trunk for images: residual blocks, as in Espeholt et al. 2018"),
             tenon::policy_graph<cnn::ConvNet>("convnet", "a trunk for images: filters of any size and number"));
