// SPDX-License-Identifier: Apache-2.0
// The checks of each kind of component. Those of env_checks.hpp are shared with transforms and wrappers.
#pragma once

#include <span>

#include "commands/check/check.hpp"

namespace tenon {

std::span<const Check> file_checks();       // of a plugin file, whatever it contains (tenon/abi/plugin.h, host.h)
std::span<const Check> component_checks();  // of every component, whatever its kind
std::span<const Check> sampler_checks();
std::span<const Check> hook_checks();
std::span<const Check> dataset_checks();  // it must refuse files that do not have its format

// On columns of an artificial env.
std::span<const Check> policy_checks();  // of a policy that is a procedure
std::span<const Check> transform_checks();
std::span<const Check> wrapper_checks();

// In a run that a manifest wires: an objective needs networks, and these need an env.
std::span<const Check> graph_checks();  // of a transform that is a graph
std::span<const Check> objective_checks();
std::span<const Check> acting_checks();  // of a policy that is a graph: its actions, and its functions' outputs

// The checks of an env's kernels, on the emulated device and on a GPU if there is one.
std::span<const Check> device_env_checks();
std::span<const Check> device_sampler_checks();

// Whether the functions of a policy that acts are consistent: its draws, their log-probabilities, and the divergence
// from itself. Functions that it does not have are not checked.
Verdict check_log_prob(const CheckSubject& subject);
Verdict check_entropy(const CheckSubject& subject);
Verdict check_kl(const CheckSubject& subject);
// Whether a policy that remembers gives the same results step by step, as in acting, and over sequences, as in
// learning.
Verdict check_sequences(const CheckSubject& subject);

}  // namespace tenon
