// SPDX-License-Identifier: Apache-2.0
#include "slab.hpp"

#include <algorithm>

#include "agents.hpp"
#include "tenon/spec.hpp"

namespace bridge {
namespace {

constexpr std::size_t kLine = 64;  // of the processor's cache

std::string list_of(const std::vector<SlabColumn>& columns) {
    std::string out;
    for (const SlabColumn& column : columns) {
        out += (out.empty() ? "" : ",") + std::to_string(column.offset);
    }
    return "[" + out + "]";
}

}  // namespace

SlabLayout::SlabLayout(const tenon::EnvSpec& spec, std::uint32_t count) : lanes(count) {
    const std::size_t n = count;
    bell = place(sizeof(std::uint32_t));
    request = place(n * sizeof(std::uint32_t));
    done = place(n * sizeof(std::uint32_t));
    command = place(n * sizeof(Command));
    failed = place(n * sizeof(std::uint32_t));
    seed = place(n * sizeof(std::uint64_t));
    reward = place(n * sizeof(double));
    terminated = place(n);
    truncated = place(n);
    text = place(kText);
    observations = place(spec.observations);
    finals = place(spec.observations);
    actions = place(spec.actions);
    extras = place(spec.extras);
    rewards = place(spec.rewards);
    ends = place(spec.ends);
    const auto found = std::ranges::find(spec.extras, kRewards, &tenon::Spec::key);
    if (!spec.rewards.empty() && found != spec.extras.end()) {
        group_rewards = static_cast<std::size_t>(found - spec.extras.begin());
        group_rewards_dtype = found->dtype;
    }
}

std::size_t SlabLayout::place(std::size_t bytes) {
    const std::size_t at = size;
    size += (bytes + kLine - 1) / kLine * kLine;
    return at;
}

std::vector<SlabColumn> SlabLayout::place(const std::vector<tenon::Spec>& specs) {
    std::vector<SlabColumn> out;
    for (const tenon::Spec& spec : specs) {
        const std::size_t element = tenon::with_dtype(spec.dtype, [](auto zero) { return sizeof(zero); });
        const std::size_t row = static_cast<std::size_t>(spec.elements()) * element;
        out.push_back({place(lanes * row), row});
    }
    return out;
}

std::string SlabLayout::json() const {
    const std::pair<const char*, std::size_t> members[] = {
        {"lanes", lanes},         {"size", size},     {"bell", bell}, {"request", request}, {"done", done},
        {"command", command},     {"failed", failed}, {"seed", seed}, {"reward", reward},   {"terminated", terminated},
        {"truncated", truncated}, {"text", text}};
    std::string out;
    for (const auto& [name, value] : members) {
        out += "\"" + std::string(name) + "\":" + std::to_string(value) + ",";
    }
    return out + "\"observations\":" + list_of(observations) + ",\"finals\":" + list_of(finals) +
           ",\"actions\":" + list_of(actions) + ",\"extras\":" + list_of(extras) + ",\"rewards\":" + list_of(rewards) +
           ",\"ends\":" + list_of(ends);
}

}  // namespace bridge
