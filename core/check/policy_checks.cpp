// SPDX-License-Identifier: Apache-2.0
#include "check/policy_checks.hpp"

#include <malloc.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "check/workbench.hpp"
#include "check/world.hpp"
#include "data/spec_values.hpp"
#include "env/procedural.hpp"
#include "env/row_values.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kLanes = 11;
constexpr std::uint32_t kSlots = 4;
constexpr std::uint64_t kActs = 200;

// The policy, and columns that it acts on: those of the first world that it accepts.
struct Player {
    Composite specs;
    Storage storage;
    ProceduralPolicy policy;
    tn_key observations{};

    static Result<std::unique_ptr<Player>> make(Workbench& bench, int fresh);

    // New observations in all lanes, then their actions.
    Status act(std::int32_t mode, tn_key key, std::uint64_t counter);
    [[nodiscard]] std::string action(std::uint32_t lane) const;
    [[nodiscard]] std::string difference(const Player& other) const;
};

Result<std::unique_ptr<Player>> Player::make(Workbench& bench, int fresh) {
    ::mallopt(M_PERTURB, fresh);
    std::optional<Problem> refusal;
    for (const Composite& world : worlds()) {
        Result<Instance> instance = bench.make(kLanes);
        if (!instance) {
            return std::move(instance.error());
        }
        Result<ProceduralPolicy> policy = ProceduralPolicy::make(std::move(*instance), world, bench.pool());
        Result<Storage> storage = Storage::make(storage_columns(world), kSlots, kLanes);
        if (!policy || !storage) {
            refusal = policy ? std::move(storage.error()) : std::move(policy.error());
            continue;
        }
        std::unique_ptr<Player> out(
            new Player{world, std::move(*storage), std::move(*policy), bench.key("observations")});
        const std::vector<std::uint8_t> all(kLanes, 1);
        out->storage.begin_episodes(all.data());
        Status bound = out->policy.bind(out->storage);
        return bound ? Result<std::unique_ptr<Player>>(std::move(out)) : std::move(bound.error());
    }
    return refusal.value_or(plugin_problem("there is nothing to act on"));
}

Status Player::act(std::int32_t mode, tn_key key, std::uint64_t counter) {
    for (const Spec& spec : specs.specs) {
        const auto elements = static_cast<std::uint64_t>(spec.shape.elements());
        for (std::uint32_t lane = 0; lane < kLanes && spec.role == Role::kObservation; ++lane) {
            const View& view = storage.find(spec.key)->view;
            draw(spec, observations, (counter * kLanes + lane) * elements, row_at(view, storage.head(), lane));
        }
    }
    return policy.act(mode, key, counter);
}

std::string Player::action(std::uint32_t lane) const {
    const StorageColumn& column = *storage.find("action");
    return {static_cast<const char*>(row_at(column.view, storage.head(), lane)), row_bytes(column)};
}

std::string Player::difference(const Player& other) const {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if (action(lane) != other.action(lane)) {
            return "in lane " + std::to_string(lane) + " the action is " +
                   row_text(storage.find("action")->view, storage.head(), lane) + " and " +
                   row_text(other.storage.find("action")->view, other.storage.head(), lane);
        }
    }
    return "";
}

Verdict check_acts(const CheckSubject& subject) {
    const auto bench = Workbench::open(subject);
    if (!bench) {
        return failed(bench.error());
    }
    const auto player = Player::make(**bench, 0);
    if (!player) {
        return player.error().fault == Fault::kInput
                   ? skipped("it suits none of the made-up envs: " + player.error().sentence)
                   : failed(player.error());
    }
    for (std::uint64_t counter = 0; counter < kActs; ++counter) {
        const std::int32_t mode = counter % 4 == 3 ? TN_ACT_MODE : TN_ACT_SAMPLE;
        if (Status status = (*player)->act(mode, (*bench)->key("policy"), counter); !status) {
            return failed(status.error());
        }
        (*player)->storage.advance();
    }
    return passed();
}

// In both modes, by turns.
Verdict check_same_key(const CheckSubject& subject) {
    const auto bench = Workbench::open(subject);
    if (!bench) {
        return failed(bench.error());
    }
    const auto one = Player::make(**bench, 0x11);
    const auto other = Player::make(**bench, 0xEE);
    if (!one || !other) {
        return failed((one ? other : one).error());
    }
    const tn_key key = (*bench)->key("policy");
    for (std::uint64_t counter = 0; counter < kActs; ++counter) {
        const std::int32_t mode = counter % 4 == 3 ? TN_ACT_MODE : TN_ACT_SAMPLE;
        Status status = (*one)->act(mode, key, counter);
        status = status ? (*other)->act(mode, key, counter) : std::move(status);
        if (!status) {
            return failed(status.error());
        }
        if (const std::string found = (*one)->difference(**other); !found.empty()) {
            return failed("two instances with the same key, counter and observations differ: " + found);
        }
        (*one)->storage.advance();
        (*other)->storage.advance();
    }
    return passed();
}

constexpr std::array<Check, 2> kChecks = {{
    {.name = "gives actions that there are",
     .breaks = "tenon/abi/policy.h: act",
     .run = check_acts,
     .gate = Gate::kAll},
    {.name = "the same key and counter give the same actions",
     .breaks = "tenon/abi/policy.h: tn_policy_call",
     .run = check_same_key},
}};

}  // namespace

std::span<const Check> policy_checks() {
    return kChecks;
}

}  // namespace tenon
