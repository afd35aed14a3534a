// SPDX-License-Identifier: Apache-2.0
// Layers that keep activations at mean 0 and deviation 1, with a learnt gain and shift: over the elements of a row, or
// over the rows of a batch.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Ba et al. 2016: over the last size, as PyTorch's LayerNorm.
inline Value layer_norm(const Graph& g, const std::string& name, Value x, double eps = 1e-5) {
    const std::int64_t width = last_size(x);
    const Value gain = g.parameter((name + ".weight").c_str(), {width}, constant(1));
    const Value shift = g.parameter((name + ".bias").c_str(), {width}, zeros());
    const Value centred = x - unsqueeze(mean(x));
    const Value deviation = sqrt(unsqueeze(mean(square(centred))) + eps);
    return centred / deviation * gain + shift;
}

struct BatchRenorm {
    double momentum = 0.01;        // of the running moments
    double max_scale = 3;          // how far a batch's deviation may be from the running one
    double max_shift = 5;          // how far its mean may be, in running deviations
    std::int64_t warm_up = 10000;  // updates before the running moments count
    double eps = 1e-5;
};

// Ioffe 2017: in training by the moments of the batch, corrected towards the running ones, which it moves; otherwise by
// the running ones alone. A network that has it is called once in training mode in an update (Batch::with does two
// batches at once), since its moments move once.
inline Value batch_renorm(const Graph& g, const std::string& name, Value x, const BatchRenorm& options = {}) {
    const std::int64_t width = last_size(x);
    const Value gain = g.parameter((name + ".weight").c_str(), {width}, constant(1));
    const Value shift = g.parameter((name + ".bias").c_str(), {width}, zeros());
    const std::string mean_name = name + ".running_mean";
    const std::string variance_name = name + ".running_var";
    const std::string count_name = name + ".updates";
    const Value running_mean = g.state(mean_name.c_str(), {width}, zeros());
    const Value running_variance = g.state(variance_name.c_str(), {width}, constant(1));
    const Value running_deviation = sqrt(running_variance + options.eps);
    if (!Graph::training()) {
        return (x - running_mean) / running_deviation * gain + shift;
    }
    const Value mean = mean_rows(x);
    const Value variance = mean_rows(square(x - mean));
    const Value deviation = sqrt(variance + options.eps);
    const Value batch_mean = stop_gradient(mean);
    const Value scale = clamp(stop_gradient(deviation) / running_deviation, 1 / options.max_scale, options.max_scale);
    const Value offset = clamp((batch_mean - running_mean) / running_deviation, -options.max_shift, options.max_shift);
    const Value updates = g.state(count_name.c_str(), {1}, zeros());
    const Value warm = updates >= static_cast<double>(options.warm_up);
    const Value out = (x - mean) / deviation * where(warm, scale, 1.0) + where(warm, offset, 0.0);

    const Value rows = count_rows(x);
    const Value unbiased = stop_gradient(variance) * (rows / max(rows - 1, 1.0));
    g.set(mean_name.c_str(), running_mean + options.momentum * (batch_mean - running_mean));
    g.set(variance_name.c_str(), running_variance + options.momentum * (unbiased - running_variance));
    g.set(count_name.c_str(), min(updates + 1, static_cast<double>(options.warm_up)));
    return out * gain + shift;
}

}  // namespace TENON_SDK
}  // namespace tenon
