// SPDX-License-Identifier: Apache-2.0
#include "commands/check/env_drive.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/spec_values.hpp"
#include "base/error/listed.hpp"
#include "commands/check/fresh_memory.hpp"
#include "commands/check/tailed.hpp"
#include "experience/env/row_values.hpp"
#include "experience/env/seeds.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kMostLanes = 4096;  // of all instances that are compared

std::string lane_text(std::uint32_t lane) {
    return "lane " + std::to_string(lane);
}

std::vector<DriveColumn> columns_of(const Composite& specs, std::uint32_t lanes) {
    using Kind = DriveColumn::Kind;
    std::vector<DriveColumn> out;
    for (const Spec& spec : specs.specs) {
        const Kind kind = spec.role == Role::kAction ? Kind::kAction : is_outcome(spec.role) ? Kind::kNow : Kind::kNext;
        out.push_back(DriveColumn::of(spec.key, kind, spec.dtype, spec.shape, EnvDrive::kSlots, lanes));
        if (spec.role == Role::kObservation) {
            out.push_back(
                DriveColumn::of(next_key(spec.key), Kind::kFinal, spec.dtype, spec.shape, EnvDrive::kSlots, lanes));
        }
    }
    for (const char* const flag : {"terminated", "truncated"}) {
        out.push_back(DriveColumn::of(flag, Kind::kNow, DType::kBool, Shape{}, EnvDrive::kSlots, lanes));
    }
    return out;
}

}  // namespace

std::string steps_text(std::uint64_t steps) {
    return counted(steps, "step");
}

Result<std::unique_ptr<EnvDrive>> EnvDrive::make(const Workbench& bench, const DriveShape& shape) {
    std::unique_ptr<EnvDrive> out(new EnvDrive(bench, shape));
    TENON_TRY(out->come_to_life(bench));
    TENON_TRY(out->lay_out(shape.layout));
    TENON_TRY(out->bind());
    return out;
}

Status EnvDrive::come_to_life(const Workbench& bench) {
    const std::vector<std::uint64_t> all = lane_seeds(bench.key("env"), shape_.first_lane + shape_.lanes);
    seeds_.assign(all.begin() + shape_.first_lane, all.end());
    before_call();
    if (bench.subject().component->kind == "transform") {
        world_ = TENON_TRY(TransformedWorld::make(bench, shape_.lanes));
        env_ = world_->callee();
    } else if (bench.subject().component->kind == "wrapper") {
        wrapped_ = TENON_TRY(WrappedWorld::make(bench, shape_.lanes));
        env_ = wrapped_->callee();
    } else {
        instance_ = TENON_TRY(bench.make(shape_.lanes));
        env_ = Callee<tn_env_api>::of(*instance_, "tenon.env/1");
        TENON_TRY(shape_.device.empty() ? Status() : go_to_device());
    }
    info_ = TENON_TRY(describe_env(env_));
    masks_ = action_masks(info_.specs);
    status_ = TENON_TRY(GuardedMemory::make(shape_.lanes, "lane_status"));
    needs_reset_.assign(shape_.lanes, 0);
    return {};
}

Status EnvDrive::go_to_device() {
    const auto* const api = instance_->interface<tn_device_env_api>("tenon.device_env/1");
    on_device_ = TENON_TRY(EnvOnDevice::make(env_, api, shape_.device, shape_.lanes, shape_.is_newer));
    env_ = on_device_->callee();
    return {};
}

std::uint64_t EnvDrive::leave_device() {
    instance_.reset();
    return on_device_->device().held();
}

Status EnvDrive::lay_out(LaneLayout layout) {
    columns_ = columns_of(info_.specs, shape_.lanes);
    return tenon::lay_out(columns_, table_, layout, shape_.fill);
}

Status EnvDrive::bind() {
    const Tailed<tn_env_buffers> buffers({.struct_size = 0,
                                          .flags = 0,
                                          .slots = kSlots,
                                          .lanes = shape_.lanes,
                                          .columns = table_.data(),
                                          .column_count = table_.size(),
                                          .lane_status = lane_status(),
                                          .needs_reset = needs_reset_.data()},
                                         shape_.is_newer);
    before_call();
    return env_.call("bind", env_.api->bind, &buffers.value);
}

Status EnvDrive::move_columns(LaneLayout layout) {
    std::vector<DriveColumn> old = std::move(columns_);
    const ColumnTable table = std::exchange(table_, ColumnTable());  // the env refers to it until the next bind
    TENON_TRY(lay_out(layout));
    for (std::size_t i = 0; i < old.size(); ++i) {
        copy(old[i].view, columns_[i].view);
    }
    return bind();
}

void EnvDrive::before_call() const {
    fill_fresh_memory(shape_.fresh);
}

Status EnvDrive::reset(const std::uint8_t* mask, const std::uint64_t* seeds) {
    before_call();
    remember();
    const tn_status done = call_plugin(env_.name, "reset", env_.place, env_.api->reset, env_.self, slot_, mask, seeds);
    has_stepped_ = has_stepped_ && done != TN_OK;
    TENON_TRY(outcome(done, "reset"));
    return outside("reset", [&](const DriveColumn& column, std::uint32_t slot, std::uint32_t lane) {
        return column.kind == DriveColumn::Kind::kNext && slot == slot_ && (mask == nullptr || mask[lane] != 0);
    });
}

void EnvDrive::draw_actions() {
    std::uint64_t number = 0;
    for (const Spec& spec : info_.specs.specs) {
        if (spec.role != Role::kAction) {
            continue;
        }
        const auto same_key = [&](const DriveColumn& column) { return column.key == spec.key; };
        const DriveColumn& column = *std::find_if(columns_.begin(), columns_.end(), same_key);
        const auto elements = static_cast<std::uint64_t>(spec.shape.elements());
        const tn_key key{actions_.seed, actions_.stream + number++};
        const auto mask =
            std::find_if(masks_.begin(), masks_.end(), [&](const ActionMask& each) { return each.action == spec.key; });
        for (std::uint32_t lane = 0; lane < shape_.lanes; ++lane) {
            const std::uint64_t block = (steps_ * kMostLanes + shape_.first_lane + lane) * elements;
            if (mask == masks_.end()) {
                draw(spec, key, block, column.row(slot_, lane));
                continue;
            }
            const View& allowed = *table_.find(mask->key);
            const auto* const row = static_cast<const std::uint8_t*>(row_at(allowed, slot_, lane));
            draw_allowed(spec, {row, mask->size()}, key, block, column.row(slot_, lane));
        }
    }
}

const DriveColumn* EnvDrive::find(std::string_view key) const {
    const auto found = std::ranges::find(columns_, key, &DriveColumn::key);
    return found == columns_.end() ? nullptr : &*found;
}

bool EnvDrive::has_absent_agents() const {
    return std::ranges::any_of(info_.specs.groups(),
                               [&](std::string_view group) { return find(join_keys(group, "present")) != nullptr; });
}

void EnvDrive::change_actions_of_absent() {
    std::vector<std::byte> other;
    for (const Spec& spec : info_.specs.specs) {
        const DriveColumn* const present = spec.group.empty() ? nullptr : find(join_keys(spec.group, "present"));
        if (spec.role != Role::kAction || present == nullptr) {
            continue;
        }
        const DriveColumn& column = *find(spec.key);
        const auto agents = static_cast<std::size_t>(spec.shape[0]);
        const std::size_t bytes = column.row_bytes / agents;
        other.resize(column.row_bytes);
        for (std::uint32_t lane = 0; lane < shape_.lanes; ++lane) {
            const tn_key key{actions_.seed + 1, actions_.stream};
            draw(spec, key, (steps_ * kMostLanes + lane) * static_cast<std::uint64_t>(spec.shape.elements()),
                 other.data());
            const auto* const is_present = static_cast<const std::uint8_t*>(present->row(slot_, lane));
            auto* const row = static_cast<std::byte*>(column.row(slot_, lane));
            for (std::size_t agent = 0; agent < agents; ++agent) {
                if (is_present[agent] == 0) {
                    std::memcpy(row + agent * bytes, other.data() + agent * bytes, bytes);
                }
            }
        }
    }
}

Status EnvDrive::step() {
    draw_actions();
    TENON_TRY(step_range(0, shape_.lanes));
    return move_on();
}

Status EnvDrive::step_range(std::uint32_t first, std::uint32_t count) {
    const std::uint32_t next = (slot_ + 1) % kSlots;
    const Tailed<tn_env_step> call(
        {.struct_size = 0, .slot = slot_, .next_slot = next, .first = first, .count = count, .flags = 0},
        shape_.is_newer);
    before_call();
    refill(first, count);
    remember();
    const tn_status done = call_plugin(env_.name, "step", env_.place, env_.api->step, env_.self, &call.value);
    TENON_TRY(outcome(done, "step"));
    return outside("step", [&](const DriveColumn& column, std::uint32_t slot, std::uint32_t lane) {
        const bool is_next = column.kind == DriveColumn::Kind::kNext;
        return column.kind != DriveColumn::Kind::kAction && slot == (is_next ? next : slot_) && lane >= first &&
               lane < first + count;
    });
}

Status EnvDrive::step_later(std::uint32_t parts, bool in_turn) {
    draw_actions();
    refill(0, shape_.lanes);
    std::vector<std::uint8_t> under_way(shape_.lanes);
    for (std::uint32_t part = 0; part < parts; ++part) {
        std::vector<std::uint32_t> lanes;
        for (std::uint32_t lane = part; lane < shape_.lanes; lane += parts) {
            lanes.push_back(lane);
            under_way[lane] = 1;
        }
        Status done = submit(lanes);
        if (done && (in_turn || part + 1 == parts)) {
            done = await(under_way);
        }
        if (!done) {
            return done;
        }
    }
    return move_on();
}

Status EnvDrive::submit(const std::vector<std::uint32_t>& lanes) {
    const Tailed<tn_env_submit> call({.struct_size = 0,
                                      .slot = slot_,
                                      .lanes = lanes.data(),
                                      .count = static_cast<std::uint32_t>(lanes.size()),
                                      .flags = 0},
                                     shape_.is_newer);
    before_call();
    remember();
    const tn_status done = call_plugin(env_.name, "submit", env_.place, env_.async->submit, env_.self, &call.value);
    TENON_TRY(outcome(done, "submit"));
    return outside("submit", [](const DriveColumn&, std::uint32_t, std::uint32_t) { return false; });
}

// Waits until all lanes have come back, but no longer than some seconds.
Status EnvDrive::await(std::vector<std::uint8_t>& under_way) {
    constexpr int kTries = 20;
    constexpr std::uint32_t kMilliseconds = 100;
    const std::uint32_t next = (slot_ + 1) % kSlots;
    std::vector<std::uint32_t> lanes(shape_.lanes);
    for (int tries = 0; std::ranges::count(under_way, std::uint8_t{1}) > 0; ++tries) {
        const auto left = static_cast<std::uint32_t>(std::ranges::count(under_way, std::uint8_t{1}));
        if (tries == kTries) {
            return env_.problem("poll has not reported " + std::to_string(left) + " of the submitted lanes within " +
                                std::to_string(kTries * kMilliseconds / 1000) + " s");
        }
        Tailed<tn_env_poll> call({.struct_size = 0,
                                  .slot = slot_,
                                  .next_slot = next,
                                  .least = left,
                                  .milliseconds = kMilliseconds,
                                  .count = 0,
                                  .lanes = lanes.data()},
                                 shape_.is_newer);
        before_call();
        remember();
        const tn_status done = call_plugin(env_.name, "poll", env_.place, env_.async->poll, env_.self, &call.value);
        TENON_TRY(outcome(done, "poll"));
        std::vector<std::uint8_t> reported(shape_.lanes);
        for (std::uint32_t i = 0; i < std::min(call.value.count, shape_.lanes); ++i) {
            const std::uint32_t lane = lanes[i];
            if (lane >= shape_.lanes || under_way[lane] == 0) {
                return env_.problem("poll reports " + lane_text(lane) + ", which is not under way");
            }
            under_way[lane] = 0;
            reported[lane] = 1;
        }
        Status inside = outside("poll", [&](const DriveColumn& column, std::uint32_t slot, std::uint32_t lane) {
            const bool is_next = column.kind == DriveColumn::Kind::kNext;
            return column.kind != DriveColumn::Kind::kAction && slot == (is_next ? next : slot_) && reported[lane] != 0;
        });
        if (!inside) {
            return inside;
        }
    }
    return {};
}

tn_status EnvDrive::step_raw() {
    const tn_env_step call{.struct_size = sizeof call,
                           .slot = slot_,
                           .next_slot = (slot_ + 1) % kSlots,
                           .first = 0,
                           .count = shape_.lanes,
                           .flags = 0};
    return call_plugin(env_.name, "step", env_.place, env_.api->step, env_.self, &call);
}

void EnvDrive::accept() {
    before_ = slot_;
    slot_ = (slot_ + 1) % kSlots;
    ++steps_;
    has_stepped_ = true;
    std::memset(lane_status(), 0, shape_.lanes);
}

Status EnvDrive::move_on() {
    accept();
    return begin_ended();
}

// Begins new episodes as the host does (core/experience/env/lanes_step.cpp), when all ranges have been stepped.
Status EnvDrive::begin_ended() {
    while (std::ranges::count(needs_reset_, std::uint8_t{1}) > 0) {
        const std::vector<std::uint8_t> mask = needs_reset_;
        std::ranges::fill(needs_reset_, std::uint8_t{0});
        before_call();
        const tn_status done = call_plugin(env_.name, "reset", env_.place, env_.api->reset, env_.self, slot_,
                                           mask.data(), static_cast<const std::uint64_t*>(nullptr));
        TENON_TRY(outcome(done, "reset"));
    }
    return {};
}

Status EnvDrive::outcome(tn_status done, const char* function) const {
    if (done != TN_OK) {
        return check_call(done, env_.name, function, env_.place);
    }
    const std::string said = take_error();
    for (std::uint32_t lane = 0; lane < shape_.lanes; ++lane) {
        if (lane_status()[lane] != 0) {
            return env_.problem("it reports an error in " + lane_text(lane) + " after " + steps_text(steps_) +
                                ", though all its actions were allowed: " +
                                (said.empty() ? "status " + std::to_string(lane_status()[lane]) : said));
        }
    }
    return {};
}

bool EnvDrive::is_terminated(std::uint32_t lane) const {
    return *static_cast<const std::uint8_t*>(row_at(*table_.find("terminated"), before_, lane)) != 0;
}
bool EnvDrive::is_truncated(std::uint32_t lane) const {
    return *static_cast<const std::uint8_t*>(row_at(*table_.find("truncated"), before_, lane)) != 0;
}

void EnvDrive::take_over(EnvDrive& other) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        copy(other.columns_[i].view, columns_[i].view);
    }
    slot_ = other.slot_;
    before_ = other.before_;
    steps_ = other.steps_;
}

// Overwrites old values, so that a missing write of the next step is detected.
void EnvDrive::refill(std::uint32_t first, std::uint32_t count) {
    using Kind = DriveColumn::Kind;
    for (const DriveColumn& column : columns_) {
        const std::uint32_t slot = column.kind == Kind::kNext ? (slot_ + 1) % kSlots : slot_;
        if (column.kind == Kind::kAction || (column.kind == Kind::kNext && column.view.strides[0] == 0)) {
            continue;
        }
        for (std::uint32_t lane = first; lane < first + count; ++lane) {
            std::memset(column.row(slot, lane), column.fill_of(shape_.fill), column.row_bytes);
        }
    }
}

void EnvDrive::remember() {
    if (!shape_.is_watched) {
        return;
    }
    shadows_.resize(columns_.size() + 1);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        shadows_[i] = columns_[i].reachable();
    }
    const auto all = status_.reachable();
    shadows_.back().assign(all.begin(), all.end());
}

template <class Allowed>
Status EnvDrive::outside(const char* function, const Allowed& allowed) {
    const auto told = [&](const std::string& what) { return env_.problem(std::string(function) + " writes " + what); };
    for (std::size_t i = 0; shape_.is_watched && i < columns_.size(); ++i) {
        const DriveColumn& column = columns_[i];
        const std::string found = column.changed(std::move(shadows_[i]), [&](std::uint32_t slot, std::uint32_t lane) {
            return allowed(column, slot, lane);
        });
        if (!found.empty()) {
            return told(found);
        }
    }
    const auto all = status_.reachable();
    if (shape_.is_watched && std::memcmp(all.data(), shadows_.back().data(), all.size()) != 0) {
        return told("outside of lane_status");
    }
    return {};
}

std::string EnvDrive::difference(std::uint32_t mine, EnvDrive& other, std::uint32_t theirs) {
    using Kind = DriveColumn::Kind;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const DriveColumn& a = columns_[i];
        const DriveColumn& b = other.columns_[i];
        const bool is_written = a.kind == Kind::kNext ||
                                (has_stepped_ && (a.kind == Kind::kNow || (a.kind == Kind::kFinal && is_done(mine))));
        const std::uint32_t slot_a = a.kind == Kind::kNext ? slot_ : before_;
        const std::uint32_t slot_b = b.kind == Kind::kNext ? other.slot_ : other.before_;
        if (is_written && std::memcmp(a.row(slot_a, mine), b.row(slot_b, theirs), a.row_bytes) != 0) {
            return "after " + steps_text(steps_) + " '" + a.key + "' of " + lane_text(shape_.first_lane + mine) +
                   " is " + row_text(a.view, slot_a, mine) + " and " + row_text(b.view, slot_b, theirs);
        }
    }
    return "";
}

std::string EnvDrive::difference(EnvDrive& other) {
    std::string found;
    for (std::uint32_t lane = 0; lane < std::min(lanes(), other.lanes()) && found.empty(); ++lane) {
        found = difference(lane, other, lane);
    }
    return found;
}

}  // namespace tenon
