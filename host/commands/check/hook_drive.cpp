// SPDX-License-Identifier: Apache-2.0
#include "commands/check/hook_drive.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/data/number_text.hpp"
#include "commands/check/fresh_memory.hpp"
#include "commands/check/tailed.hpp"
#include "tenon/abi/hook_writes.h"

namespace tenon {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

bool are_same(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// The memory to which a call may write.
struct HookWishes {
    std::vector<double>* reported;
    std::vector<double>* moved;
    std::string* stopped;
    std::string* fault;
};

tn_status take_value(std::vector<double>& list, std::uint32_t number, double value, const char* what,
                     std::string& fault) {
    std::string odd;
    if (number >= list.size()) {
        odd = "there is no number " + std::to_string(number);
    } else if (!std::isfinite(value)) {
        odd = "number " + std::to_string(number) + " would be " + number_text(value);
    } else {
        list[number] = value;
        return TN_OK;
    }
    fault = fault.empty() ? std::string("of its ") + what + ", " + odd : fault;
    return TN_INVALID_ARGUMENT;
}

}  // namespace

HookDrive::HookDrive(const Workbench& bench, const HookShape& shape, Instance instance, Storage storage)
    : shape_(shape),
      key_(bench.key("hook")),
      instance_(std::move(instance)),
      hook_(Callee<tn_hook_api>::of(instance_, "tenon.hook/1")),
      storage_(std::move(storage)),
      options_(as_numbers(bench.subject().options)) {}

Result<std::unique_ptr<HookDrive>> HookDrive::make(const Workbench& bench, const HookShape& shape) {
    fill_fresh_memory(shape.fresh);
    Instance instance = TENON_TRY(bench.make(0));
    StorageColumn column;
    column.key = "observation";
    column.role = Role::kObservation;
    Storage storage = TENON_TRY(Storage::make({column}, kSlots, kLanes));
    std::unique_ptr<HookDrive> out(new HookDrive(bench, shape, std::move(instance), std::move(storage)));
    Tailed<tn_hook_info> info({}, shape.is_newer);
    TENON_TRY(out->hook_.call("describe", out->hook_.api->describe, &info.value));
    if (!shape.is_newer && !info.is_whole()) {
        return out->hook_.problem("describe writes past the struct_size that the host has set");
    }
    out->plan_ = TENON_TRY(read_hook_plan(info.value, out->hook_.name, {}));
    TENON_TRY(out->make_columns());
    out->make_networks();
    const std::vector<std::uint8_t> all(kLanes, 1);
    out->storage_.begin_episodes(all.data());
    return out;
}

// Every column is one real number.
Status HookDrive::make_columns() {
    for (const std::string& key : plan_.columns) {
        GuardedMemory memory = TENON_TRY(GuardedMemory::make(std::size_t{kSlots} * kLanes * sizeof(float), key));
        std::memset(memory.data(), 0, std::size_t{kSlots} * kLanes * sizeof(float));
        memory_.push_back(std::move(memory));
        expected_.emplace_back(std::size_t{kSlots} * kLanes, 0.0F);
        columns_.push_back({.struct_size = sizeof(tn_column),
                            .flags = 0,
                            .key = {key.data(), key.size()},
                            .tensor = {.struct_size = sizeof(tn_tensor),
                                       .dtype = TN_F32,
                                       .data = memory_.back().data(),
                                       .rank = 2,
                                       .device_type = TN_DEVICE_CPU,
                                       .device_id = 0,
                                       .reserved = 0,
                                       .shape = shape_of_column_.data(),
                                       .strides = strides_.data()}});
    }
    for (const tn_column& column : columns_) {
        column_pointers_.push_back(&column);
    }
    metrics_.assign(plan_.reads.size(), kNotMeasured);
    moved_.assign(plan_.options.size(), 0.5);
    reported_.assign(plan_.metrics.size(), kNotMeasured);
    return {};
}

// Gradients share the parameters' memory, because all numbers are artificial anyway.
void HookDrive::connect(Network& network) {
    const std::size_t size = network.numbers.size() / network.parameters.size();
    for (std::size_t i = 0; i < network.parameters.size(); ++i) {
        network.parameters[i] = {.struct_size = sizeof(tn_column),
                                 .flags = 0,
                                 .key = {i == 0 ? "weight" : "bias", i == 0 ? std::uint64_t{6} : std::uint64_t{4}},
                                 .tensor = {.struct_size = sizeof(tn_tensor),
                                            .dtype = TN_F32,
                                            .data = network.numbers.data() + size * i,
                                            .rank = network.rank,
                                            .device_type = TN_DEVICE_CPU,
                                            .device_id = 0,
                                            .reserved = 0,
                                            .shape = network.shape.data(),
                                            .strides = network.strides.data()}};
        network.pointers[i] = &network.parameters[i];
    }
    network.view = {.struct_size = sizeof network.view,
                    .parameter_count = 2,
                    .parameters = network.pointers.data(),
                    .gradients = network.pointers.data()};
}

void HookDrive::make_networks() {
    connect(read_);
    connect(written_);
    networks_.assign(plan_.networks.size(), &read_.view);
    const auto* const writes = instance_.interface<tn_hook_writes_api>("tenon.hook_writes/1");
    const tn_str* names = nullptr;
    std::uint32_t count = 0;
    if (writes != nullptr && writes->describe(hook_.self, &names, &count) == TN_OK && count > 0) {
        writes_.assign(count, &written_.view);
        writes->attach(hook_.self, writes_.data());
    }
}

void HookDrive::append(std::uint32_t steps) {
    for (std::uint32_t i = 0; i < steps; ++i) {
        const tn_random_block block = tn_philox(key_, steps_++);
        const std::uint32_t head = storage_.head();
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::uint32_t drawn = tn_below(block.word[lane], 20);
            *static_cast<std::uint8_t*>(row_at(storage_.find("terminated")->view, head, lane)) = drawn == 0 ? 1 : 0;
            *static_cast<std::uint8_t*>(row_at(storage_.find("truncated")->view, head, lane)) = drawn == 1 ? 1 : 0;
            for (std::size_t column = 0; column < memory_.size(); ++column) {
                const std::size_t at = std::size_t{head} * kLanes + lane;
                const float value =
                    static_cast<float>(tn_below(block.word[lane] + static_cast<std::uint32_t>(column), 9)) / 4;
                reinterpret_cast<float*>(memory_[column].data())[at] = value;
                expected_[column][at] = value;
            }
        }
        storage_.advance();
    }
    of_round_ = steps;
}

void HookDrive::check_unchanged(const std::vector<double>& metrics) {
    if (!fault_.empty()) {
        return;
    }
    if (!are_same(metrics, metrics_)) {
        fault_ = "it has changed a metric of the run, which it may only read";
    }
    if (read_.numbers != std::vector<float>{0.5F, -1.0F, 0.25F, 2.0F}) {
        fault_ = "it has changed a network's parameters, which it may only read";
    }
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (std::memcmp(memory_[i].data(), expected_[i].data(), expected_[i].size() * sizeof(float)) != 0) {
            fault_ = "it has changed the column '" + plan_.columns[i] + "', which it may only read";
        }
    }
}

Status HookDrive::call(std::uint32_t event) {
    const tn_random_block block = tn_philox(key_, (std::uint64_t{1} << 40U) + calls_++);
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
        metrics_[i] = calls_ < 4 ? kNotMeasured : static_cast<double>(tn_below(block.word[i % 4], 1000)) / 250 - 1;
    }
    if (is_mute_ || !plan_.wants(event)) {
        return {};
    }
    const std::vector<double> before = metrics_;
    const Tailed<tn_buffer_view> view(storage_.view(), shape_.is_newer);
    const Tailed<tn_hook_frames> frames(
        {.struct_size = 0, .steps = of_round_, .view = &view.value, .columns = column_pointers_.data()},
        shape_.is_newer);
    HookWishes asked{.reported = &reported_, .moved = &moved_, .stopped = &stopped_, .fault = &fault_};
    const std::vector<double> present = moved_;
    const Tailed<tn_hook_call> call(
        {.struct_size = 0,
         .event = event,
         .frames = steps_ * kLanes,
         .updates = updates_,
         .metrics = metrics_.data(),
         .moved = present.data(),
         .options = options_.data(),
         .own_option_count = options_.size(),
         .frames_of_round = event == TN_HOOK_COLLECTED && !columns_.empty() ? &frames.value : nullptr,
         .ctx = &asked,
         .report = [](void* ctx, std::uint32_t metric, double value) -> tn_status {
             const auto& to = *static_cast<HookWishes*>(ctx);
             return take_value(*to.reported, metric, value, "metrics", *to.fault);
         },
         .move = [](void* ctx, std::uint32_t option, double value) -> tn_status {
             const auto& to = *static_cast<HookWishes*>(ctx);
             return take_value(*to.moved, option, value, "options", *to.fault);
         },
         .stop = [](void* ctx, tn_str why) -> tn_status {
             static_cast<HookWishes*>(ctx)->stopped->assign(why.data == nullptr ? "" : why.data, why.size);
             return TN_OK;
         },
         .networks = networks_.data()},
        shape_.is_newer);
    fill_fresh_memory(shape_.fresh);
    Status done = hook_.call("call", hook_.api->call, &call.value);
    check_unchanged(before);
    return done;
}

Status HookDrive::round() {
    append(5);
    Status done = call(TN_HOOK_COLLECTED);
    for (int i = 0; i < 3 && done; ++i) {
        ++updates_;
        done = call(TN_HOOK_UPDATED);
    }
    done = done ? call(TN_HOOK_EVALUATED) : std::move(done);
    return done ? call(TN_HOOK_CHECKPOINT) : std::move(done);
}

std::string HookDrive::difference(const HookDrive& other) const {
    if (!are_same(reported_, other.reported_)) {
        return "they report different values";
    }
    if (!are_same(moved_, other.moved_)) {
        return "they move options to different values";
    }
    if (written_.numbers != other.written_.numbers) {
        return "they write different parameters";
    }
    return stopped_ == other.stopped_
               ? ""
               : "only one ends the run, or they say different things: '" + stopped_ + "' and '" + other.stopped_ + "'";
}

void HookDrive::follow(const HookDrive& other) {
    reported_ = other.reported_;
    moved_ = other.moved_;
    stopped_ = other.stopped_;
    written_.numbers = other.written_.numbers;
}

}  // namespace tenon
