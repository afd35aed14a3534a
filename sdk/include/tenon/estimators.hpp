// SPDX-License-Identifier: Apache-2.0
// Advantages and returns over collected batches, as composites. terminated stops the bootstrap and done stops the
// trace; the last step of a batch bootstraps from its next value. Inputs have one value per row over time; lambda and
// gamma are numbers.
#pragma once

#include <source_location>

#include "tenon/region.hpp"

namespace tenon {
inline namespace TENON_SDK {

namespace detail {

// Whether the return of a step includes that of its lane's next step: false after done and at the last step.
inline Value goes_on(Value done) {
    const Value left = scan_linear(1, 1 - 0 * done, 1);  // steps to the end of the batch, including this one
    return 1 - max(done, left < 2);
}

}  // namespace detail

// Generalised advantage estimation (Schulman et al. 2016, eq. 16): A_t = d_t + gamma lambda (1 - done_t) A_(t+1), d_t =
// r_t + gamma (1 - terminated_t) v(s_(t+1)) - v(s_t). The target of the value network is A + v.
inline Value gae(In reward, In value, In next_value, In terminated, In done, In gamma, In lambda) {
    const detail::CalledFrom caller(reward.at);
    return composite("gae", 1, {reward, value, next_value, terminated, done, gamma, lambda},
                     [](std::span<const Value> in) {
                         const Value delta = in[0] + in[5] * (1 - in[3]) * in[2] - in[1];
                         return scan_linear(in[5] * in[6] * (1 - in[4]), delta, 1);
                     });
}

// TD(lambda) returns (Sutton and Barto 2018, eq. 12.2 and 12.3):
//     g_t = r_t + gamma (1 - terminated_t) ((1 - lambda) v(s_(t+1)) + lambda g_(t+1)),
// where g_(t+1) is v(s_(t+1)) after a done step and after the last one. The values may come from another network than
// the one that learns: no return depends on v(s_t).
inline Value td_lambda(In reward, In next_value, In terminated, In done, In gamma, In lambda) {
    const detail::CalledFrom caller(reward.at);
    return composite("td_lambda", 1, {reward, next_value, terminated, done, gamma, lambda},
                     [](std::span<const Value> in) {
                         const Value trace = in[5] * detail::goes_on(in[3]);
                         return scan_linear(in[4] * trace, in[0] + in[4] * (1 - in[2]) * (1 - trace) * in[1], 1);
                     });
}

// One-step returns: r_t + gamma (1 - terminated_t) v(s_(t+1)).
inline Value td0(In reward, In next_value, In terminated, In gamma) {
    const detail::CalledFrom caller(reward.at);
    return composite("td0", 1, {reward, next_value, terminated, gamma},
                     [](std::span<const Value> in) { return in[0] + in[3] * (1 - in[2]) * in[1]; });
}

// TD(1) returns: td_lambda with lambda 1, which uses values only where an episode or the batch is cut.
inline Value td1(In reward, In next_value, In terminated, In done, In gamma) {
    const detail::CalledFrom caller(reward.at);
    return composite("td1", 1, {reward, next_value, terminated, done, gamma}, [](std::span<const Value> in) {
        const Value trace = detail::goes_on(in[3]);
        return scan_linear(in[4] * trace, in[0] + in[4] * (1 - in[2]) * (1 - trace) * in[1], 1);
    });
}

// Monte Carlo returns without values: R_t = r_t + gamma (1 - done_t) R_(t+1). There is no bootstrap after a truncated
// step or after the last step of the batch.
inline Value reward_to_go(In reward, In done, In gamma) {
    const detail::CalledFrom caller(reward.at);
    return composite("reward_to_go", 1, {reward, done, gamma},
                     [](std::span<const Value> in) { return scan_linear(in[2] * (1 - in[1]), in[0], 1); });
}

// V-trace targets v_s (Espeholt et al. 2018, eq. 1), with given rho = min(rho_max, ratio) and c = min(c_max, ratio).
inline Value vtrace(In reward, In value, In next_value, In terminated, In done, In rho, In c, In gamma) {
    const detail::CalledFrom caller(reward.at);
    return composite("vtrace", 1, {reward, value, next_value, terminated, done, rho, c, gamma},
                     [](std::span<const Value> in) {
                         const Value delta = in[5] * (in[0] + in[7] * (1 - in[3]) * in[2] - in[1]);
                         return scan_linear(in[7] * in[6] * (1 - in[4]), delta, 1) + in[1];
                     });
}

// The weight of the policy gradient for V-trace targets (section 4.2 of the paper): rho_t (r_t + gamma (1 -
// terminated_t) v_(s+1) - v(s_t)), where v_(s+1) is the target of the next state: next_value, plus what the next step's
// target adds to its value unless this step is done. c is above 0 wherever rho is. With what is added as x, the target
// is v(s_t) + delta_t + c_t x, and this is delta_t + rho_t x.
inline Value vtrace_advantage(Value reward, Value value, Value next_value, Value terminated, Value target, Value rho,
                              Value c, Value gamma, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const Value delta = rho * (reward + gamma * (1 - terminated) * next_value - value);
    return delta + rho / max(c, 1e-30) * (target - value - delta);
}

}  // namespace TENON_SDK
}  // namespace tenon
