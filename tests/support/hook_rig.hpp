// SPDX-License-Identifier: Apache-2.0
// A hook driven as the host drives it, with made-up metrics and frames.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/abi/hook.h"
#include "tenon/abi/hook_writes.h"

namespace tenon::test {

class HookRig {
public:
    template <class Adapter, class T>
    explicit HookRig(Component<Adapter, T> component,
                     const std::type_identity_t<std::function<void(OptionValues<T>&)>>& change = {})
        : instance(host, component, 0, change) {
        REQUIRE(instance.status() == TN_OK);
        api = instance.api<tn_hook_api>("tenon.hook/1");
        info.struct_size = sizeof(info);
        REQUIRE(api->describe(instance.self(), &info) == TN_OK);
        metrics.resize(info.read_count);
        moved.resize(info.option_count);
        reported.resize(info.metric_count);
    }

    static std::vector<std::string> names(const tn_str* list, std::uint32_t count) {
        std::vector<std::string> out;
        for (std::uint32_t i = 0; i < count; ++i) {
            out.emplace_back(list[i].data, list[i].size);
        }
        return out;
    }

    // Frames of one column, [slots][lanes], of which every lane holds `count` transitions from slot `first` on and the
    // newest `steps` are of this round. ends: the flag terminated.
    void collect(std::vector<float> values, std::vector<std::uint8_t> ends, std::uint32_t lanes, std::uint32_t first,
                 std::uint32_t count, std::uint32_t steps) {
        values_ = std::move(values);
        ends_ = std::move(ends);
        none_.assign(ends_.size(), 0);
        const auto slots = static_cast<std::uint32_t>(values_.size() / lanes);
        first_.assign(lanes, first);
        count_.assign(lanes, count);
        shape_[0] = slots;
        shape_[1] = lanes;
        strides_[0] = lanes;
        column_ = {.struct_size = sizeof(tn_column), .flags = 0, .key = info.columns[0], .tensor = {}};
        column_.tensor = {.struct_size = sizeof(tn_tensor),
                          .dtype = TN_F32,
                          .data = values_.data(),
                          .rank = 2,
                          .device_type = TN_DEVICE_CPU,
                          .device_id = 0,
                          .reserved = 0,
                          .shape = shape_,
                          .strides = strides_};
        view_ = {.struct_size = sizeof(tn_buffer_view),
                 .slots = slots,
                 .lanes = lanes,
                 .reserved = 0,
                 .first = first_.data(),
                 .count = count_.data(),
                 .total = std::uint64_t{count} * lanes,
                 .appended = count,
                 .terminated = ends_.data(),
                 .truncated = none_.data()};
        frames_ = {.struct_size = sizeof(tn_hook_frames), .steps = steps, .view = &view_, .columns = pointers_};
    }

    // A second column, after `collect`.
    void collect_also(std::vector<float> values) {
        more_ = std::move(values);
        second_ = column_;
        second_.key = info.columns[1];
        second_.tensor.data = more_.data();
    }

    // One network with one parameter, and its gradient.
    void give_network(std::vector<float> parameter, std::vector<float> gradient) {
        parameter_ = std::move(parameter);
        gradient_ = std::move(gradient);
        size_[0] = static_cast<std::int64_t>(parameter_.size());
        for (auto& [column, data] : {std::pair{&weights_, parameter_.data()}, std::pair{&slopes_, gradient_.data()}}) {
            *column = {.struct_size = sizeof(tn_column), .flags = 0, .key = {"weight", 6}, .tensor = {}};
            column->tensor = {.struct_size = sizeof(tn_tensor),
                              .dtype = TN_F32,
                              .data = data,
                              .rank = 1,
                              .device_type = TN_DEVICE_CPU,
                              .device_id = 0,
                              .reserved = 0,
                              .shape = size_,
                              .strides = strides_ + 1};
        }
        network_ = {.struct_size = sizeof(tn_hook_network),
                    .parameter_count = 1,
                    .parameters = &weights_pointer_,
                    .gradients = &slopes_pointer_};
    }

    // A network that it writes, with `members` members of that network.
    void give_written(std::int64_t members) {
        written_.assign(parameter_.size() * static_cast<std::size_t>(members), 0.0F);
        written_size_[0] = members;
        written_size_[1] = size_[0];
        written_strides_[0] = size_[0];
        copies_ = weights_;
        copies_.tensor.data = written_.data();
        copies_.tensor.rank = 2;
        copies_.tensor.shape = written_size_;
        copies_.tensor.strides = written_strides_;
        const auto* const writes = instance.api<tn_hook_writes_api>("tenon.hook_writes/1");
        writes->attach(instance.self(), &written_pointer_);
        written_network_ = {.struct_size = sizeof(tn_hook_network),
                            .parameter_count = 1,
                            .parameters = &copies_pointer_,
                            .gradients = nullptr};
    }
    // Changes the parameter of the network.
    void learn(const std::vector<float>& parameter) { std::ranges::copy(parameter, parameter_.begin()); }
    [[nodiscard]] const std::vector<float>& written() const { return written_; }

    tn_status call(std::uint32_t event) {
        const tn_hook_call call = {.struct_size = sizeof(tn_hook_call),
                                   .event = event,
                                   .frames = frames,
                                   .updates = updates,
                                   .metrics = metrics.data(),
                                   .moved = moved.data(),
                                   .options = options.empty() ? nullptr : options.data(),
                                   .own_option_count = options.size(),
                                   .frames_of_round = event == TN_HOOK_COLLECTED ? &frames_ : nullptr,
                                   .ctx = this,
                                   .report = [](void* ctx, std::uint32_t metric, double value) -> tn_status {
                                       of(ctx).reported.at(metric) = value;
                                       return TN_OK;
                                   },
                                   .move = [](void* ctx, std::uint32_t option, double value) -> tn_status {
                                       of(ctx).moved.at(option) = value;
                                       return TN_OK;
                                   },
                                   .stop = [](void* ctx, tn_str why) -> tn_status {
                                       of(ctx).stopped.assign(why.data, why.size);
                                       return TN_OK;
                                   },
                                   .networks = &network_pointer_};
        return api->call(instance.self(), &call);
    }

    // Another instance with the state of this one.
    void copy_state_to(HookRig& other) {
        StateBytes state;
        REQUIRE(state.save(instance, 0, 0) == TN_OK);
        REQUIRE(state.load(other.instance, 0, 0) == TN_OK);
    }

    std::uint64_t frames = 0;
    std::uint64_t updates = 0;
    std::vector<double> metrics;
    std::vector<double> moved;
    std::vector<double> options;
    std::vector<double> reported;
    std::string stopped;

    PluginHost host;
    PluginInstance instance;
    const tn_hook_api* api = nullptr;
    tn_hook_info info{};

private:
    static HookRig& of(void* ctx) { return *static_cast<HookRig*>(ctx); }

    std::vector<float> values_;
    std::vector<std::uint8_t> ends_;
    std::vector<std::uint8_t> none_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> count_;
    std::int64_t shape_[2] = {0, 0};
    std::int64_t strides_[2] = {0, 1};
    tn_column column_{};
    std::vector<float> more_;
    tn_column second_{};
    const tn_column* pointers_[2] = {&column_, &second_};
    tn_buffer_view view_{};
    tn_hook_frames frames_{};
    std::vector<float> parameter_;
    std::vector<float> gradient_;
    std::int64_t size_[1] = {0};
    tn_column weights_{};
    tn_column slopes_{};
    const tn_column* weights_pointer_ = &weights_;
    const tn_column* slopes_pointer_ = &slopes_;
    tn_hook_network network_{};
    const tn_hook_network* network_pointer_ = &network_;
    std::vector<float> written_;
    std::int64_t written_size_[2] = {0, 0};
    std::int64_t written_strides_[2] = {0, 1};
    tn_column copies_{};
    const tn_column* copies_pointer_ = &copies_;
    tn_hook_network written_network_{};
    const tn_hook_network* written_pointer_ = &written_network_;
};

}  // namespace tenon::test
