// SPDX-License-Identifier: Apache-2.0
#include "run/drive/drive_policy.hpp"

#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "run/drive/policy_chain.hpp"

namespace tenon {
namespace {

void put_row(Storage& storage, std::string_view key, std::uint32_t lane, const std::byte* row) {
    const StorageColumn& column = *storage.find(key);
    std::memcpy(row_at(column.view, storage.head(), lane), row, row_bytes(column));
}

}  // namespace

std::unique_ptr<DrivePolicy> DrivePolicy::open(const ScoringRequest& request, std::uint32_t lanes, Problems& problems) {
    std::unique_ptr<DrivePolicy> out(new DrivePolicy);
    out->policy_ = open_standing_policy(request, "loaded", [](std::string_view) {}, problems);
    if (!out->policy_) {
        return nullptr;
    }
    return is_done(out->make(lanes), problems) ? std::move(out) : nullptr;
}

Status DrivePolicy::make(std::uint32_t lanes) {
    const Wiring& wiring = policy_->wiring();
    chain_ = TENON_TRY(chain_of(*policy_, lanes, "drive/"));
    storage_.emplace(TENON_TRY(Storage::make(storage_columns(wiring.env_specs), 2, lanes)));
    if (chain_) {
        outside_.emplace(TENON_TRY(Storage::make(storage_columns(specs()), 2, lanes)));
    }
    actor_.emplace(TENON_TRY(Actor::make(wiring.evaluating(), policy_->seed, *policy_->executor, *policy_->learner,
                                         *storage_, wiring.env_specs)));
    begin(nullptr);
    return {};
}

// Passes the observations of all lanes through the transforms.
Status DrivePolicy::observe() {
    const std::uint32_t slot = storage_->head();
    const View& first = storage_->find("is_init")->view;
    std::vector<std::string_view> keys;
    for (const Spec& spec : specs().specs) {
        if (spec.role != Role::kAction && !is_outcome(spec.role)) {
            keys.emplace_back(spec.key);
        }
    }
    std::vector<const std::byte*> rows(keys.size());
    for (std::uint32_t lane = 0; lane < storage_->lanes(); ++lane) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            rows[i] = static_cast<const std::byte*>(row_at(outside_->find(keys[i])->view, outside_->head(), lane));
        }
        const bool begins = *static_cast<const std::uint8_t*>(row_at(first, slot, lane)) != 0;
        begun_ += begins ? 1 : 0;
        TENON_TRY(chain_->observe(lane, begins, policy_->seed + begun_, keys, rows));
        for (const Spec& spec : policy_->wiring().env_specs.specs) {
            if (spec.role != Role::kAction && !is_outcome(spec.role)) {
                put_row(*storage_, spec.key, lane, chain_->outer_row(spec.key, lane));
            }
        }
    }
    return {};
}

// Converts the actions to the form that the env takes.
Status DrivePolicy::invert() {
    for (std::uint32_t lane = 0; lane < storage_->lanes(); ++lane) {
        for (const Spec& spec : policy_->wiring().env_specs.specs) {
            if (spec.role == Role::kAction) {
                const StorageColumn& column = *storage_->find(spec.key);
                std::memcpy(chain_->outer_row(spec.key, lane), row_at(column.view, storage_->head(), lane),
                            row_bytes(column));
            }
        }
        TENON_TRY(chain_->invert(lane));
        for (const Spec& spec : specs().specs) {
            if (spec.role == Role::kAction) {
                put_row(*outside_, spec.key, lane, chain_->inner_row(spec.key, lane));
            }
        }
    }
    return {};
}

Status DrivePolicy::act() {
    TENON_TRY(chain_ ? observe() : Status());
    Status acted = actor_->act(*storage_, policy_->numbers, steps_++);
    policy_->numbers.same_parameters = true;
    std::memset(row_at(storage_->find("is_init")->view, storage_->head(), 0), 0, storage_->lanes());
    return acted && chain_ ? invert() : acted;
}

}  // namespace tenon
