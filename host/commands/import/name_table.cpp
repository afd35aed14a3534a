// SPDX-License-Identifier: Apache-2.0
#include "commands/import/name_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

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

// "actor/NAME", or the name itself if no library is known by it.
std::string by_library(const std::string& name) {
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

// A tensor under its new name.
struct Candidate {
    std::string name;
    ForeignTensor tensor;
    bool used = false;  // or called like a parameter, which will use it
};

Candidate* choose(std::vector<Candidate>& all, const std::string& role, const Parameter& parameter,
                  const std::vector<std::int64_t>& shape) {
    const std::string wanted = role + "/" + parameter.name;
    const auto same = std::ranges::find(all, wanted, &Candidate::name);
    if (same != all.end()) {
        return &*same;
    }
    const auto fits = std::ranges::find_if(all, [&](const Candidate& each) {
        return !each.used && each.name.starts_with(role + "/") && each.tensor.shape == shape &&
               (parameter.name.find('.') == std::string::npos || ending(each.name) == ending(parameter.name));
    });
    return fits == all.end() ? nullptr : &*fits;
}

std::string described(DType real, const std::vector<std::int64_t>& shape) {
    return describe_stored(static_cast<std::int32_t>(real), shape);
}

// "; the nearest is h.0.attn.weight, F32 [64, 192], which fits if it is transposed", or nothing.
std::string nearest_of(const std::vector<Candidate>& all, const std::string& wanted, DType real,
                       const std::vector<std::int64_t>& shape) {
    std::vector<std::string_view> names;
    for (const Candidate& each : all) {
        if (!each.used) {
            names.push_back(each.name);
        }
    }
    const auto turned = std::ranges::find_if(all, [&](const Candidate& each) {
        return !each.used && shape.size() == 2 && each.tensor.shape == std::vector{shape[1], shape[0]} &&
               ending(each.name) == ending(wanted);
    });
    std::string_view name = nearest(wanted, names);
    if (name.empty() && turned != all.end()) {
        name = turned->name;
    }
    const auto found = std::ranges::find(all, name, &Candidate::name);
    if (found == all.end()) {
        return "";
    }
    const bool transposed = shape.size() == 2 && found->tensor.shape == std::vector{shape[1], shape[0]};
    return "; the nearest is " + found->tensor.name + ", " + described(real, found->tensor.shape) +
           (transposed && shape[0] != shape[1] ? ", which fits if it is transposed (--map FROM=TO:t)" : "");
}

// Fills the network with tensors, and adds a problem for each parameter that has none.
void fill(Network& network, DType real, std::vector<Candidate>& all, const std::string& subject, Taken& out,
          Problems& problems) {
    const std::string& role = network.layout.role;
    for (Candidate& each : all) {
        each.used = each.used || std::ranges::any_of(network.layout.parameters, [&](const Parameter& parameter) {
                        return each.name == role + "/" + parameter.name;
                    });
    }
    for (const Parameter& parameter : network.layout.parameters) {
        const std::vector<std::int64_t> shape = shape_of(network.layout, parameter);
        const std::string wanted = role + "/" + parameter.name;
        Candidate* const chosen = choose(all, role, parameter, shape);
        if (chosen == nullptr) {
            problems.push_back(input_problem(
                subject + " has no tensor for " + wanted + ", which is " + described(real, shape) +
                    nearest_of(all, wanted, real, shape),
                {}, "change the policy in the manifest to the file's sizes, or name one: --map FROM=" + wanted));
            continue;
        }
        chosen->used = true;
        if (chosen->tensor.shape != shape || chosen->tensor.values.size() != parameter.size) {
            problems.push_back(input_problem(subject + ": the tensor " + chosen->tensor.name + " is " +
                                             described(real, chosen->tensor.shape) + ", but " + wanted + " is " +
                                             described(real, shape)));
            continue;
        }
        copy(chosen->tensor, parameter, real, network.live);
        out.tensors.push_back({.parameter = wanted, .tensor = chosen->tensor.name});
    }
    copy_live(network);
}

// The rules name networks of the manifest, and tensors of the file.
Status check(const std::vector<NameRule>& rules, const std::vector<ForeignTensor>& tensors, const Learner& learner,
             const std::string& known, const std::string& subject) {
    for (const NameRule& rule : rules) {
        const std::string role = rule.to.substr(0, rule.to.find('/'));
        if (std::ranges::none_of(learner.networks, [&](const Network& n) { return n.layout.role == role; })) {
            return input_problem("--map " + rule.text + ": there is no network '" + role + "'", {},
                                 "the manifest has: " + known);
        }
        if (!rule.optional &&
            std::ranges::none_of(tensors, [&](const ForeignTensor& t) { return applies(rule, t.name); })) {
            return input_problem("--map " + rule.text + ": " + subject + " has no tensor whose name begins with " +
                                 rule.from);
        }
    }
    return {};
}

}  // namespace

std::optional<Taken> take_weights(const std::vector<ForeignTensor>& tensors, const std::vector<NameRule>& rules,
                                  Learner& learner, const std::string& subject, Problems& problems) {
    std::string known;
    for (const Network& network : learner.networks) {
        known += (known.empty() ? "" : ", ") + network.layout.role;
    }
    Status checked = check(rules, tensors, learner, known, subject);
    if (!is_done(checked, problems)) {
        return std::nullopt;
    }
    Result<std::vector<NamedTensor>> named = apply(rules, tensors, subject);
    if (!is_done(named, problems)) {
        return std::nullopt;
    }
    std::vector<Candidate> all;
    for (NamedTensor& each : *named) {
        const bool renamed = each.name != each.tensor.name;
        all.push_back({.name = renamed ? each.name : by_library(each.name), .tensor = std::move(each.tensor)});
    }
    Taken out;
    for (Network& network : learner.networks) {
        const std::string prefix = network.layout.role + "/";
        if (std::ranges::none_of(all, [&](const Candidate& each) { return each.name.starts_with(prefix); })) {
            out.kept.push_back(network.layout.role);
            continue;
        }
        fill(network, learner.real, all, subject, out, problems);
    }
    for (const Candidate& each : all) {
        if (!each.used) {
            out.unused.push_back(each.tensor.name);
        }
    }
    if (out.tensors.empty() && problems.empty()) {
        problems.push_back(
            input_problem(subject + " has no tensor whose name is known for a network of the manifest (" + known + ")" +
                              (tensors.empty() ? "" : "; the first is " + tensors.front().name),
                          {}, "name the network: --map FROM=NETWORK/, or --layout gpt2 or llama"));
    }
    return problems.empty() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace tenon
