// SPDX-License-Identifier: Apache-2.0
// The layers of every network of this plugin before its head, and their options.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/categories.hpp"
#include "tenon/cells.hpp"
#include "tenon/images.hpp"
#include "tenon/nets.hpp"
#include "tenon/noisy.hpp"
#include "tenon/norms.hpp"
#include "tenon/options.hpp"
#include "tenon/spectral.hpp"

namespace mlp {

struct Body {
    std::vector<std::int64_t> hidden;
    std::vector<std::int64_t> before;  // layers of the columns alone, if other inputs are joined later
    std::string activation;
    std::string init;
    double last_gain = 1.0;
    std::string norm;
    std::string cell;
    std::int64_t cell_size = 64;
    std::int64_t cell_layers = 1;
    std::int64_t renorm_warm_up = 10000;
    double dropout = 0;
    std::string spectral;
    std::vector<std::string> in;
    std::string categories;
    bool noisy = false;
    double noise_scale = 0.5;

    // The gains of orthogonal initialisation in Andrychowicz et al. 2021: sqrt(2) for hidden layers, and an option for
    // the last one.
    [[nodiscard]] tenon::DenseInit layer_init(std::int64_t inputs, double gain) const {
        return init == "orthogonal" ? tenon::orthogonal_init(gain) : tenon::default_init(inputs);
    }

    // Passes the input columns and a function's other inputs through all layers to `width` outputs.
    [[nodiscard]] tenon::Value operator()(const tenon::Graph& g, std::int64_t width,
                                          const std::vector<tenon::Value>& extra = {}) const {
        return last(g, features(g, extra), width);
    }

    // The input of the last layer.
    [[nodiscard]] tenon::Value features(const tenon::Graph& g, const std::vector<tenon::Value>& extra = {}) const {
        std::vector<tenon::Value> columns;
        for (const std::string& key : in) {
            if (const tn_spec* spec = g.spec(key.c_str(), true);
                spec != nullptr && spec->rank > 1 && !is_of_group(*spec)) {
                throw tenon::InvalidArgument("column '" + key + "' has rows of " + std::to_string(spec->rank) +
                                             " dimensions, but this network reads rows of one" +
                                             (spec->rank == 3 ? "; use a trunk such as cnn/impala for an image"
                                                              : "; the transform standard/flatten makes one of them"));
            }
            columns.push_back(column(g, key));
        }
        if (!before.empty()) {
            columns = {layers(g, "before", tenon::join(columns), before)};
        }
        columns.insert(columns.end(), extra.begin(), extra.end());
        tenon::Value x = layers(g, "", tenon::join(columns), hidden);
        if (cell != "none") {
            x = cell == "gru" ? tenon::gru_layers(g, "gru", x, cell_size, cell_layers)
                              : tenon::lstm_layers(g, "lstm", x, cell_size, cell_layers);
        }
        return x;
    }

    // The column of a group of agents is that of all of them, one after the other.
    [[nodiscard]] tenon::Value column(const tenon::Graph& g, const std::string& key) const {
        const tn_spec* spec = g.spec(key.c_str(), true);
        const tenon::Value x = g.batch()[key.c_str()];
        const bool is_index = spec != nullptr && tenon::holds_categories(*spec) && categories == "one_hot";
        return is_index                                                  ? tenon::categories_one_hot(x, *spec)
               : spec != nullptr && spec->rank > 1 && is_of_group(*spec) ? tenon::flatten(x)
                                                                         : x;
    }

    // Whether it is the column of a whole group; a component of the group sees that of one agent.
    [[nodiscard]] static bool is_of_group(const tn_spec& spec) { return spec.group.size > 0; }

    [[nodiscard]] tenon::Value last(const tenon::Graph& g, tenon::Value x, std::int64_t width) const {
        return layer(g, std::to_string(hidden.size()), x, width, layer_init(tenon::last_size(x), last_gain), true);
    }

    [[nodiscard]] tenon::Value layer(const tenon::Graph& g, const std::string& name, tenon::Value x, std::int64_t width,
                                     tenon::DenseInit begin, bool last) const {
        if (noisy) {
            if (spectral != "none") {
                throw tenon::InvalidArgument("noisy layers cannot be normalised: remove noisy or spectral_norm");
            }
            return tenon::noisy_dense(g, name, x, width, begin, noise_scale);
        }
        const bool is_normalised = spectral == "all" || (spectral == "hidden" && !last);
        return is_normalised ? tenon::spectral_dense(g, name, x, width, begin) : tenon::dense(g, name, x, width, begin);
    }

    [[nodiscard]] tenon::Value layers(const tenon::Graph& g, const std::string& prefix, tenon::Value x,
                                      const std::vector<std::int64_t>& sizes) const {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const std::string number = std::to_string(i);
            const tenon::DenseInit begin = layer_init(tenon::last_size(x), std::sqrt(2.0));
            x = layer(g, prefix + number, x, sizes[i], begin, false);
            x = tenon::dropout(prefix + "dropout" + number, x, dropout);
            x = tenon::activate(activation, normed(g, prefix + "norm" + number, x));
        }
        return x;
    }

    // From now on the output of the last layer is factor times what it was, plus shift.
    void rescale_last(const tenon::Graph& g, std::int64_t width, tenon::Value factor, tenon::Value shift) const {
        if (spectral == "all") {
            throw tenon::InvalidArgument(
                "its last layer cannot be rescaled, because it is normalised: set spectral_norm = \"hidden\"");
        }
        const std::int64_t inputs = cell != "none"   ? cell_size
                                    : hidden.empty() ? tenon::last_size(features(g))
                                                     : hidden.back();
        const tenon::DenseInit begin = layer_init(inputs, last_gain);
        const std::string weight = std::to_string(hidden.size()) + ".weight";
        const std::string bias = std::to_string(hidden.size()) + ".bias";
        g.set(weight.c_str(), g.parameter(weight.c_str(), {width, inputs}, begin.weight) * factor);
        g.set(bias.c_str(), g.parameter(bias.c_str(), {width}, begin.bias) * factor + shift);
    }

    [[nodiscard]] tenon::Value normed(const tenon::Graph& g, const std::string& name, tenon::Value x) const {
        if (norm == "layer") {
            return tenon::layer_norm(g, name, x);
        }
        return norm == "batch_renorm" ? tenon::batch_renorm(g, name, x, {.warm_up = renorm_warm_up}) : x;
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Body::hidden>("hidden", {64, 64}, "[1,1000000]", "sizes of the hidden layers"),
        tenon::option<&Body::activation>("activation", "tanh", tenon::kActivations,
                                         "activation after each hidden layer"),
        tenon::option<&Body::init>("weight_init", "default", "default|orthogonal",
                                   "initial weights: as PyTorch's linear layers, or orthogonal with zero biases"),
        tenon::option<&Body::last_gain>("last_gain", 1.0, "(0,inf)",
                                        "gain of the last layer if weight_init is orthogonal"),
        tenon::option<&Body::norm>(
            "norm", "none", "none|layer|batch_renorm",
            "normalisation before each activation: layer normalisation, or batch renormalisation"),
        tenon::option<&Body::renorm_warm_up>("renorm_warm_up", 10000, "[0,inf)",
                                             "updates before batch renormalisation uses its running moments"),
        tenon::option<&Body::dropout>("dropout", 0.0, "[0,1)", "dropout rate of the hidden layers in updates"),
        tenon::option<&Body::spectral>("spectral_norm", "none", "none|hidden|all",
                                       "layers with spectral normalisation (a largest singular value of 1)"),
        tenon::option<&Body::cell>("cell", "none", "none|gru|lstm",
                                   "a recurrent cell between the hidden layers and the last one"),
        tenon::option<&Body::cell_size>("cell_size", 64, "[1,1000000]", "size of the cell's output and memory"),
        tenon::option<&Body::cell_layers>("cell_layers", 1, "[1,64]",
                                          "number of cells, each of which reads the one before"),
        tenon::option<&Body::in>("in", {"observation"}, "", "the columns it reads, concatenated"),
        tenon::option<&Body::categories>("categories", "one_hot", "one_hot|number",
                                         "how columns of categories are read: one-hot, or each index as a number")};
    // For networks that explore by noisy weights.
    static constexpr auto noise_options = std::tuple{
        tenon::option<&Body::noisy>("noisy", false, "",
                                    "noisy layers: weights are random around their means, except in evaluations"),
        tenon::option<&Body::noise_scale>("noise_scale", 0.5, "(0,inf)",
                                          "initial scale of the noise, divided by the root of a layer's inputs")};
};

}  // namespace mlp
