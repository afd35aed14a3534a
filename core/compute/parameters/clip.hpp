// SPDX-License-Identifier: Apache-2.0
// The gradient norm of a stage, and gradient clipping.
#pragma once

#include <span>

#include "base/thread/pool.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

// Threads of a pool share the work of these functions and change no bit; null: none do.
// The joint norm of the gradients of all networks, summed in double in an order that depends on their sizes alone.

// The joint norm of the gradients of all networks, summed in double in an order that depends on their sizes alone.
double gradient_norm(std::span<Network* const> networks, DType real, Pool* pool = nullptr);

// Multiplies all gradients of the networks.
void scale_gradients(std::span<Network* const> networks, DType real, double factor, Pool* pool = nullptr);

// Scales the gradients so that their norm is at most clip_norm, as torch.nn.utils.clip_grad_norm_ does: by clip_norm /
// (norm + 1e-6) if that is below 1. A clip_norm of 0 disables clipping.
void clip_gradients(std::span<Network* const> networks, DType real, double norm, double clip_norm,
                    Pool* pool = nullptr);

}  // namespace tenon
