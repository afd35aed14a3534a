// SPDX-License-Identifier: Apache-2.0
#include "commands/check/policy_drive.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/data/spec_abi.hpp"
#include "base/data/spec_values.hpp"
#include "commands/check/action_fault.hpp"
#include "commands/check/fresh_memory.hpp"
#include "commands/check/tailed.hpp"
#include "commands/check/world.hpp"
#include "experience/env/row_values.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kMostActors = 4096;  // of all instances that are compared
constexpr std::uint64_t kEpisode = 7;        // steps
constexpr const char* kBegins = "is_init";

std::vector<DriveColumn> columns_read_in(const Composite& specs, std::uint32_t lanes) {
    using Kind = DriveColumn::Kind;
    std::vector<DriveColumn> out;
    for (const Spec& spec : specs.specs) {
        if (spec.role == Role::kObservation || spec.role == Role::kAction) {
            const Kind kind = spec.role == Role::kAction ? Kind::kAction : Kind::kNow;
            out.push_back(DriveColumn::of(spec.key, kind, spec.dtype, spec.shape, PolicyDrive::kSlots, lanes));
        }
    }
    out.push_back(DriveColumn::of(kBegins, Kind::kNow, DType::kBool, Shape{}, PolicyDrive::kSlots, lanes));
    return out;
}

}  // namespace

Result<std::unique_ptr<PolicyDrive>> PolicyDrive::make(const Workbench& bench, const PolicyShape& shape) {
    std::unique_ptr<PolicyDrive> out(new PolicyDrive(bench, shape));
    TENON_TRY(out->come_to_life(bench));
    TENON_TRY(out->lay_out(shape.layout));
    TENON_TRY(out->bind());
    return out;
}

Status PolicyDrive::come_to_life(const Workbench& bench) {
    std::optional<Problem> refusal;
    for (const Composite& world : worlds()) {
        before_call();
        instance_ = TENON_TRY(bench.make(shape_.lanes));
        if (instance_->interface<void>("tenon.planner/1") != nullptr) {
            return input_problem("it plans by stepping copies of the env");
        }
        policy_ = Callee<tn_policy_api>::of(*instance_, "tenon.policy/1");
        const SpecTable table(world);
        const tn_status described = call_plugin(policy_.name, "describe", policy_.place, policy_.api->describe,
                                                policy_.self, table.data(), table.size());
        if (Status status = check_call(described, policy_.name, "describe", policy_.place); !status) {
            if (described != TN_INVALID_ARGUMENT) {
                return status;
            }
            refusal = std::move(status.error());
            refusal->fault = Fault::kInput;
            continue;
        }
        specs_ = &world;
        return {};
    }
    return std::move(*refusal);
}

Status PolicyDrive::lay_out(LaneLayout layout) {
    columns_ = columns_read_in(*specs_, shape_.lanes);
    return tenon::lay_out(columns_, table_, layout, shape_.fill);
}

Status PolicyDrive::bind() {
    const Tailed<tn_policy_buffers> buffers({.struct_size = 0,
                                             .flags = 0,
                                             .slots = kSlots,
                                             .lanes = shape_.lanes,
                                             .columns = table_.data(),
                                             .column_count = table_.size()},
                                            shape_.is_newer);
    before_call();
    return policy_.call("bind", policy_.api->bind, &buffers.value);
}

void PolicyDrive::before_call() const {
    fill_fresh_memory(shape_.fresh);
}

Status PolicyDrive::move_columns(LaneLayout layout) {
    std::vector<DriveColumn> old = std::move(columns_);
    const ColumnTable table = std::exchange(table_, ColumnTable());  // the policy refers to it until the next bind
    TENON_TRY(lay_out(layout));
    for (std::size_t i = 0; i < old.size(); ++i) {
        copy(old[i].view, columns_[i].view);
    }
    return bind();
}

void PolicyDrive::take_over(const PolicyDrive& other) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        copy(other.columns_[i].view, columns_[i].view);
    }
    steps_ = other.steps_;
}

void PolicyDrive::observe() {
    ++steps_;
    const auto slot = static_cast<std::uint32_t>(steps_ % kSlots);
    for (const DriveColumn& column : columns_) {
        const Spec* const spec = specs_->find(column.key);
        for (std::uint32_t lane = 0; lane < shape_.lanes; ++lane) {
            const std::uint64_t number = std::uint64_t{shape_.first_lane} + lane;
            void* const row = column.row(slot, lane);
            if (spec == nullptr) {  // whether an episode begins
                *static_cast<std::uint8_t*>(row) = steps_ == 1 || (steps_ + number) % kEpisode == 0 ? 1 : 0;
            } else if (column.kind == DriveColumn::Kind::kNow) {
                const auto elements = static_cast<std::uint64_t>(spec->shape.elements());
                draw(*spec, observations_, (steps_ * kMostActors + number) * elements, row);
            } else {
                std::memset(row, column.fill_of(shape_.fill), column.row_bytes);
            }
        }
    }
}

Status PolicyDrive::act(std::int32_t mode, std::uint32_t first, std::uint32_t count) {
    const auto slot = static_cast<std::uint32_t>(steps_ % kSlots);
    const Tailed<tn_policy_call> call({.struct_size = 0,
                                       .mode = mode,
                                       .slot = slot,
                                       .first = first,
                                       .count = count,
                                       .flags = 0,
                                       .key = stream_,
                                       .counter = steps_},
                                      shape_.is_newer);
    std::vector<std::vector<std::byte>> shadows;
    for (std::size_t i = 0; shape_.is_watched && i < columns_.size(); ++i) {
        shadows.push_back(columns_[i].reachable());
    }
    before_call();
    TENON_TRY(policy_.call("act", policy_.api->act, &call.value));
    for (std::size_t i = 0; i < shadows.size(); ++i) {
        const bool is_action = columns_[i].kind == DriveColumn::Kind::kAction;
        const std::string found = columns_[i].changed(std::move(shadows[i]), [&](std::uint32_t at, std::uint32_t lane) {
            return is_action && at == slot && lane >= first && lane < first + count;
        });
        if (!found.empty()) {
            return policy_.problem("act writes " + found);
        }
    }
    const std::string fault = impossible(first, count);
    return fault.empty() ? Status() : Status(policy_.problem(fault));
}

std::string PolicyDrive::impossible(std::uint32_t first, std::uint32_t count) const {
    for (const DriveColumn& column : columns_) {
        for (std::uint32_t lane = first; lane < first + count && column.kind == DriveColumn::Kind::kAction; ++lane) {
            const void* const row = column.row(static_cast<std::uint32_t>(steps_ % kSlots), lane);
            if (const std::string fault = fault_of_action(*specs_->find(column.key), row, true); !fault.empty()) {
                return "it gives lane " + std::to_string(lane) + " the action " + fault;
            }
        }
    }
    return "";
}

std::string PolicyDrive::difference(std::uint32_t mine, const PolicyDrive& other, std::uint32_t theirs) const {
    const auto slot = static_cast<std::uint32_t>(steps_ % kSlots);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const DriveColumn& a = columns_[i];
        const DriveColumn& b = other.columns_[i];
        if (a.kind == DriveColumn::Kind::kAction &&
            std::memcmp(a.row(slot, mine), b.row(slot, theirs), a.row_bytes) != 0) {
            return "at step " + std::to_string(steps_) + " '" + a.key + "' of lane " +
                   std::to_string(shape_.first_lane + mine) + " is " + row_text(a.view, slot, mine) + " and " +
                   row_text(b.view, slot, theirs);
        }
    }
    return "";
}

std::string PolicyDrive::difference(const PolicyDrive& other) const {
    std::string found;
    for (std::uint32_t lane = 0; lane < lanes() && found.empty(); ++lane) {
        found = difference(lane, other, lane);
    }
    return found;
}

}  // namespace tenon
