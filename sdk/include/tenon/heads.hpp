// SPDX-License-Identifier: Apache-2.0
// Distributions over actions, made from a network's outputs: draws, log-probabilities, entropies, modes. Each gives one
// value per row; continuous actions have their size last. tenon/actor.hpp turns one into a policy's functions.
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
#include "tenon/heads/ordinal.hpp"
#include "tenon/heads/scale.hpp"
#include "tenon/heads/tanh_normal.hpp"
#include "tenon/heads/truncated_normal.hpp"
