// SPDX-License-Identifier: Apache-2.0
#include "compute/parameters/network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "config/option/toml_text.hpp"

namespace tenon {
namespace {

// 64 bytes of float32, 128 of float64: one layout serves both dtypes.
constexpr std::size_t kAlignment = 16;
constexpr std::array<std::string_view, 5> kInits = {"zeros", "constant", "uniform", "normal", "orthogonal"};

std::size_t round_up(std::size_t elements) {
    return (elements + kAlignment - 1) / kAlignment * kAlignment;
}

std::string describe(const Parameter& parameter) {
    std::string text = "[";
    for (std::size_t i = 0; i < parameter.shape.size(); ++i) {
        text.append(i == 0 ? "" : ",").append(std::to_string(parameter.shape[i]));
    }
    text.append("], initialised by ").append(parameter.init);
    if (parameter.init != "zeros") {
        text.append("(").append(toml_float(parameter.scale)).append(")");
    }
    return text.append(parameter.trainable ? ", trainable" : ", state");
}

std::string subject(const NetworkLayout& layout, const Parameter& parameter) {
    return "parameter '" + parameter.name + "' of network '" + layout.role + "'";
}

// The number of elements of all members, or 0 if a dimension is not positive or the product is implausibly large.
std::size_t element_count(const NetworkLayout& layout, const Parameter& parameter) {
    constexpr std::int64_t kMost = std::int64_t{1} << 48;
    std::int64_t count = layout.members;
    for (const std::int64_t extent : parameter.shape) {
        if (extent < 1 || __builtin_mul_overflow(count, extent, &count) || count > kMost) {
            return 0;
        }
    }
    return static_cast<std::size_t>(count);
}

Status check(const NetworkLayout& layout, const Parameter& parameter) {
    if (std::find(kInits.begin(), kInits.end(), parameter.init) == kInits.end()) {
        return plugin_problem(subject(layout, parameter) + " asks for the initialisation '" + parameter.init +
                              "', which this host does not have (it has zeros, constant, uniform, normal, orthogonal)" +
                              did_you_mean(parameter.init, {kInits.begin(), kInits.end()}));
    }
    if (parameter.init == "orthogonal" && parameter.shape.size() < 2) {
        return plugin_problem(subject(layout, parameter) + " is " + describe(parameter) +
                              "; orthogonal needs at least two dimensions");
    }
    const bool spread = parameter.init == "uniform" || parameter.init == "normal";
    if (!std::isfinite(parameter.scale) || (spread && parameter.scale < 0)) {
        return plugin_problem(subject(layout, parameter) + " is " + describe(parameter) + "; the scale must be " +
                              (spread ? "finite and not negative" : "finite"));
    }
    if (element_count(layout, parameter) == 0) {
        return plugin_problem(subject(layout, parameter) + " is " + describe(parameter) +
                              "; every extent must be at least 1 and their product at most 2^48");
    }
    return {};
}

}  // namespace

ParameterSlab parameter_slab(std::string_view name) {
    return name == "target"      ? ParameterSlab::kTarget
           : name == "reference" ? ParameterSlab::kReference
           : name == "behaviour" ? ParameterSlab::kBehaviour
           : name == "perturbed" ? ParameterSlab::kPerturbed
                                 : ParameterSlab::kLive;
}

const Slab& slab_of(const Network& network, ParameterSlab which) {
    return which == ParameterSlab::kTarget      ? network.target
           : which == ParameterSlab::kReference ? network.reference
           : which == ParameterSlab::kBehaviour ? network.behaviour
           : which == ParameterSlab::kPerturbed ? network.perturbed
                                                : network.live;
}

Slab& slab_of(Network& network, ParameterSlab which) {
    return const_cast<Slab&>(slab_of(std::as_const(network), which));
}

const Parameter* NetworkLayout::find(std::string_view name) const {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [name](const Parameter& parameter) { return parameter.name == name; });
    return found == parameters.end() ? nullptr : &*found;
}

const Network* Learner::find(std::string_view role) const {
    const auto found = std::find_if(networks.begin(), networks.end(),
                                    [role](const Network& network) { return network.layout.role == role; });
    return found == networks.end() ? nullptr : &*found;
}

Network* Learner::find(std::string_view role) {
    return const_cast<Network*>(std::as_const(*this).find(role));
}

std::optional<ParameterPlace> find_parameter(const Learner& learner, std::string_view role, std::string_view name) {
    const Network* network = learner.find(role);
    const Parameter* parameter = network == nullptr ? nullptr : network->layout.find(name);
    if (parameter == nullptr) {
        return std::nullopt;
    }
    return ParameterPlace{static_cast<std::size_t>(network - learner.networks.data()),
                          static_cast<std::size_t>(parameter - network->layout.parameters.data())};
}

Status declare(NetworkLayout& layout, Parameter parameter) {
    if (const Parameter* before = layout.find(parameter.name)) {
        if (before->shape == parameter.shape && before->init == parameter.init && before->scale == parameter.scale &&
            before->trainable == parameter.trainable) {
            return {};
        }
        return plugin_problem(subject(layout, parameter) + " is declared twice with differences: " + describe(*before) +
                              " and " + describe(parameter));
    }
    TENON_TRY(check(layout, parameter));
    layout.parameters.push_back(std::move(parameter));
    return {};
}

void place(NetworkLayout& layout) {
    std::stable_partition(layout.parameters.begin(), layout.parameters.end(),
                          [](const Parameter& parameter) { return parameter.trainable; });
    for (Parameter& parameter : layout.parameters) {
        parameter.size = element_count(layout, parameter);
        parameter.offset = layout.size;
        layout.size += round_up(parameter.size);
        if (parameter.trainable) {
            layout.trainable_size = layout.size;
        }
    }
}

}  // namespace tenon
