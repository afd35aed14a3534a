// SPDX-License-Identifier: Apache-2.0
// Distributions over actions, from what a network puts out: draws, log-probabilities, entropies, modes. One value a
// row; continuous actions have their size last. tenon/actor.hpp makes a policy's functions of one.
#pragma once

#include "tenon/heads/action.hpp"
#include "tenon/heads/bernoulli.hpp"
#include "tenon/heads/categorical.hpp"
#include "tenon/heads/composite.hpp"
#include "tenon/heads/delta.hpp"
#include "tenon/heads/feature_noise.hpp"
#include "tenon/heads/hybrid.hpp"
#include "tenon/heads/mask.hpp"
#include "tenon/heads/multi_categorical.hpp"
#include "tenon/heads/normal.hpp"
#include "tenon/heads/one_hot.hpp"
#include "tenon/heads/scale.hpp"
#include "tenon/heads/tanh_normal.hpp"
#include "tenon/heads/truncated_normal.hpp"
