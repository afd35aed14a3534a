// SPDX-License-Identifier: Apache-2.0
// Normalisation layers with a learnt gain and bias: over the elements of a row, or over the rows of a batch.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

namespace detail {

// Reshapes a vector [n] to broadcast along the last size of x: for [.., 8, n] it is [1, n].
inline Value along_last(Value vector, Value x) {
    for (std::size_t more = sizes_of(x).size(); more > 1; --more) {
        vector = unsqueeze(vector, -2);
    }
    return vector;
}

// The mean over rows and over all sizes but the last, [n].
inline Value mean_but_last(Value x) {
    Value out = mean_rows(x);
    for (std::size_t more = sizes_of(x).size(); more > 1; --more) {
        out = mean(out, -2);
    }
    return out;
}

}  // namespace detail

// Ba et al. 2016: over the last size, as PyTorch's LayerNorm, with a gain and a bias for each of its elements.
inline Value layer_norm(const Graph& g, const std::string& name, Value x, double eps = 1e-5,
                        std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::int64_t width = last_size(x);
    const Value gain = detail::along_last(g.parameter((name + ".weight").c_str(), {width}, constant(1)), x);
    const Value shift = detail::along_last(g.parameter((name + ".bias").c_str(), {width}, zeros()), x);
    const Value centred = x - unsqueeze(mean(x));
    const Value deviation = sqrt(unsqueeze(mean(square(centred))) + eps);
    return centred / deviation * gain + shift;
}

// Zhang and Sennrich 2019: divides by the root of the mean square along the last size; a gain, but no bias.
inline Value rms_norm(const Graph& g, const std::string& name, Value x, double eps = 1e-6,
                      std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const Value gain = detail::along_last(g.parameter((name + ".weight").c_str(), {last_size(x)}, constant(1)), x);
    return x / sqrt(unsqueeze(mean(square(x))) + eps) * gain;
}

struct BatchRenorm {
    double momentum = 0.01;        // of the running moments
    double max_scale = 3;          // maximal ratio of the batch's deviation to the running one
    double max_shift = 5;          // maximal difference of the means, in running deviations
    std::int64_t warm_up = 10000;  // updates before the running moments count
    double eps = 1e-5;
};

// Batch renormalisation (Ioffe 2017). In training it uses the moments of the batch, corrected towards the running
// moments, which it updates; otherwise it uses the running moments alone. An update may call a network with this layer
// only once in training mode, because the running moments are updated once (Batch::with joins two batches in one call).
// Each element of the last size has its own moments, over rows and all other sizes.
inline Value batch_renorm(const Graph& g, const std::string& name, Value x, const BatchRenorm& options = {},
                          std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const auto along_x = [x](Value vector) { return detail::along_last(vector, x); };
    const std::int64_t width = last_size(x);
    const Value gain = along_x(g.parameter((name + ".weight").c_str(), {width}, constant(1)));
    const Value shift = along_x(g.parameter((name + ".bias").c_str(), {width}, zeros()));
    const std::string mean_name = name + ".running_mean";
    const std::string variance_name = name + ".running_var";
    const std::string count_name = name + ".updates";
    const Value running_mean = g.state(mean_name.c_str(), {width}, zeros());
    const Value running_variance = g.state(variance_name.c_str(), {width}, constant(1));
    const Value running_deviation = sqrt(running_variance + options.eps);
    if (!Graph::training()) {
        return (x - along_x(running_mean)) / along_x(running_deviation) * gain + shift;
    }
    const Value mean = detail::mean_but_last(x);
    const Value variance = detail::mean_but_last(square(x - along_x(mean)));
    const Value deviation = sqrt(variance + options.eps);
    const Value batch_mean = stop_gradient(mean);
    const Value scale = clamp(stop_gradient(deviation) / running_deviation, 1 / options.max_scale, options.max_scale);
    const Value offset = clamp((batch_mean - running_mean) / running_deviation, -options.max_shift, options.max_shift);
    const Value updates = g.state(count_name.c_str(), {1}, zeros());
    const Value warm = updates >= static_cast<double>(options.warm_up);
    const Value out =
        (x - along_x(mean)) / along_x(deviation) * along_x(where(warm, scale, 1.0)) + along_x(where(warm, offset, 0.0));

    double others = 1;
    for (const std::int64_t size : sizes_of(x)) {
        others *= static_cast<double>(size);
    }
    others /= static_cast<double>(width);
    const Value rows = others > 1 ? count_rows(x) * others : count_rows(x);
    const Value unbiased = stop_gradient(variance) * (rows / max(rows - 1, 1.0));
    g.set(mean_name.c_str(), running_mean + options.momentum * (batch_mean - running_mean));
    g.set(variance_name.c_str(), running_variance + options.momentum * (unbiased - running_variance));
    g.set(count_name.c_str(), min(updates + 1, static_cast<double>(options.warm_up)));
    return out * gain + shift;
}

}  // namespace TENON_SDK
}  // namespace tenon
