// SPDX-License-Identifier: Apache-2.0
#include "commands/import/name_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "train/checkpoint/safetensors_header.hpp"

namespace tenon {
namespace {

struct Known {
    std::string_view prefix;
    std::string_view network;
};

// Stable-Baselines3 (PPO and A2C, then SAC and TD3, then DQN), CleanRL.
constexpr std::array kKnown = {
    Known{"mlp_extractor.policy_net.", "actor"},
    Known{"action_net.", "actor"},
    Known{"log_std", "actor"},
    Known{"mlp_extractor.value_net.", "value"},
    Known{"value_net.", "value"},
    Known{"actor.", "actor"},
    Known{"q_net.q_net.", "qvalue"},
    Known{"actor_mean.", "actor"},
    Known{"actor_logstd", "actor"},
    Known{"critic.", "value"},
    Known{"network.", "qvalue"},
};

// "actor/NAME", or the tensor's own name if no renaming applies.
std::string renamed(const std::string& name, const std::vector<Renaming>& renamings) {
    for (const Renaming& renaming : renamings) {
        if (name.starts_with(renaming.from)) {
            return renaming.to + name.substr(renaming.from.size());
        }
    }
    for (const Known& known : kKnown) {
        if (name.starts_with(known.prefix)) {
            return std::string(known.network) + "/" + name;
        }
    }
    return name;
}

std::string_view ending(std::string_view name) {
    return name.substr(name.rfind('.') + 1);  // of the whole name, if it has no dot
}

std::vector<std::int64_t> shape_of(const NetworkLayout& layout, const Parameter& parameter) {
    std::vector<std::int64_t> shape = parameter.shape;
    if (layout.ensemble) {
        shape.insert(shape.begin(), layout.members);
    }
    return shape;
}

void copy(const ForeignTensor& tensor, const Parameter& parameter, DType real, Slab& slab) {
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
        if (real == DType::kF32) {
            slab.as<float>()[parameter.offset + i] = static_cast<float>(tensor.values[i]);
        } else {
            slab.as<double>()[parameter.offset + i] = tensor.values[i];
        }
    }
}

// A tensor of the file under its new name.
struct Candidate {
    std::string name;
    const ForeignTensor* tensor;
    bool used = false;
};

Candidate* choose(std::vector<Candidate>& all, const std::string& role, const Parameter& parameter,
                  const std::vector<std::int64_t>& shape) {
    const std::string wanted = role + "/" + parameter.name;
    const auto same = std::ranges::find(all, wanted, &Candidate::name);
    if (same != all.end()) {
        return &*same;
    }
    const auto fits = std::ranges::find_if(all, [&](const Candidate& each) {
        return !each.used && each.name.starts_with(role + "/") && each.tensor->shape == shape &&
               (parameter.name.find('.') == std::string::npos || ending(each.name) == ending(parameter.name));
    });
    return fits == all.end() ? nullptr : &*fits;
}

Status fill(Network& network, DType real, std::vector<Candidate>& all, const std::string& subject, Taken& out) {
    const std::string& role = network.layout.role;
    for (const Parameter& parameter : network.layout.parameters) {
        const std::vector<std::int64_t> shape = shape_of(network.layout, parameter);
        const std::string wanted = role + "/" + parameter.name;
        const std::string described = describe_stored(static_cast<std::int32_t>(real), shape);
        Candidate* const chosen = choose(all, role, parameter, shape);
        if (chosen == nullptr) {
            return input_problem(
                subject + " has no tensor for " + wanted + ", which is " + described, {},
                "change the policy in the manifest to the file's sizes, or name one: --map FROM=" + wanted);
        }
        if (chosen->tensor->shape != shape || chosen->tensor->values.size() != parameter.size) {
            return input_problem(subject + ": the tensor " + chosen->tensor->name + " is " +
                                 describe_stored(static_cast<std::int32_t>(real), chosen->tensor->shape) + ", but " +
                                 wanted + " is " + described);
        }
        chosen->used = true;
        copy(*chosen->tensor, parameter, real, network.live);
        out.tensors.push_back({.parameter = wanted, .tensor = chosen->tensor->name});
    }
    copy_live(network);
    return {};
}

}  // namespace

Result<Renaming> read_renaming(const std::string& text) {
    const std::size_t middle = text.find('=');
    if (middle == std::string::npos || middle == 0 || text.find('/', middle) == std::string::npos) {
        return input_problem("--map must be FROM=NETWORK/NAME, such as pi.=actor/, but is '" + text + "'");
    }
    return Renaming{.from = text.substr(0, middle), .to = text.substr(middle + 1)};
}

Result<Taken> take_weights(const std::vector<ForeignTensor>& tensors, const std::vector<Renaming>& renamings,
                           Learner& learner, const std::string& subject) {
    std::string known;
    for (const Network& network : learner.networks) {
        known += (known.empty() ? "" : ", ") + network.layout.role;
    }
    for (const Renaming& renaming : renamings) {
        const std::string role = renaming.to.substr(0, renaming.to.find('/'));
        if (learner.find(role) == nullptr) {
            return input_problem("--map " + renaming.from + "=" + renaming.to + ": there is no network '" + role + "'",
                                 {}, "the manifest has: " + known);
        }
        if (std::ranges::none_of(tensors, [&](const ForeignTensor& t) { return t.name.starts_with(renaming.from); })) {
            return input_problem("--map " + renaming.from + "=" + renaming.to + ": " + subject +
                                 " has no tensor whose name begins with " + renaming.from);
        }
    }
    std::vector<Candidate> all;
    for (const ForeignTensor& tensor : tensors) {
        all.push_back({.name = renamed(tensor.name, renamings), .tensor = &tensor});
    }
    Taken out;
    for (Network& network : learner.networks) {
        const std::string prefix = network.layout.role + "/";
        if (std::ranges::none_of(all, [&](const Candidate& each) { return each.name.starts_with(prefix); })) {
            out.kept.push_back(network.layout.role);
            continue;
        }
        TENON_TRY(fill(network, learner.real, all, subject, out));
    }
    for (const Candidate& each : all) {
        if (!each.used) {
            out.unused.push_back(each.tensor->name);
        }
    }
    if (out.tensors.empty()) {
        return input_problem(subject + " has no tensor whose name is known for a network of the manifest (" + known +
                                 ")" + (tensors.empty() ? "" : "; the first is " + tensors.front().name),
                             {}, "name the network: --map FROM=NETWORK/");
    }
    return out;
}

}  // namespace tenon
