// SPDX-License-Identifier: Apache-2.0
#include "experience/env/mask_check.hpp"

#include <span>
#include <string>

#include "base/data/key.hpp"

namespace tenon {
namespace {

std::span<const std::uint8_t> row_of(const View& view, std::size_t size, std::uint32_t slot, std::uint32_t lane) {
    return {static_cast<const std::uint8_t*>(row_at(view, slot, lane)), size};
}

}  // namespace

void MaskCheck::bind(const Composite& specs, const ColumnTable& columns, const Storage& storage) {
    storage_ = &storage;
    masks_.clear();
    for (const ActionMask& mask : action_masks(specs)) {
        const auto bound = [&](bool final) {
            const auto view = [&](const std::string& key) { return *columns.find(final ? next_key(key) : key); };
            return Choices{.allowed = view(mask.key), .present = mask.present.empty() ? View{} : view(mask.present)};
        };
        masks_.push_back({.mask = mask, .now = bound(false), .final = bound(true)});
    }
}

Status MaskCheck::each(const Callee<tn_env_api>& env, std::uint32_t now, std::optional<std::uint32_t> before) const {
    for (std::uint32_t lane = 0; lane < storage_->lanes(); ++lane) {
        TENON_TRY(of(env, lane, now, before));
    }
    return {};
}

Status MaskCheck::of(const Callee<tn_env_api>& env, std::uint32_t lane, std::uint32_t now,
                     std::optional<std::uint32_t> before) const {
    if (storage_->parked()[lane] != 0) {
        return {};
    }
    // No policy acts on the observation after a termination, but updates bootstrap from the one after a truncation.
    const std::size_t at = before ? std::size_t{*before} * storage_->lanes() + lane : 0;
    const bool valued = before && storage_->flags().truncated[at] != 0 && storage_->flags().terminated[at] == 0;
    for (const BoundMask& bound : masks_) {
        const ActionMask& mask = bound.mask;
        const auto lacks_choice = [&](const Choices& choices, std::uint32_t slot) {
            return agent_without_choice(mask, row_of(choices.allowed, mask.size(), slot, lane),
                                        mask.present.empty() ? std::span<const std::uint8_t>{}
                                                             : row_of(choices.present, mask.agents, slot, lane));
        };
        std::optional<std::size_t> agent = lacks_choice(bound.now, now);
        if (!agent && valued) {
            agent = lacks_choice(bound.final, *before);
        }
        if (agent) {
            const bool several = mask.agents > 1;
            return env.problem("the column '" + mask.key + "' allows no '" + mask.action + "'" +
                               (several ? " of agent " + std::to_string(*agent) : "") + " in lane " +
                               std::to_string(lane) + "; terminate an episode that has no possible action" +
                               (several ? ", or let one action do nothing" : ""));
        }
    }
    return {};
}

}  // namespace tenon
