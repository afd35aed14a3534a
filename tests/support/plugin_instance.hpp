// SPDX-License-Identifier: Apache-2.0
// An instance of a component made as the host makes it, but in the test's own program: the author's type is at hand.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"
#include "tenon/abi/plugin.h"
#include "tenon/abi/state.h"
#include "tenon/component.hpp"
#include "tenon/options.hpp"

namespace tenon::test {

// The options of a component at their defaults, to be changed by name. One type for all components: what tests do with
// it is compiled once.
class OptionTable {
public:
    template <class T>
    explicit OptionTable(std::type_identity<T>) {
        for_each_option<T>(
            [&](const auto& option, std::size_t) { put(add(option.type, option.name), option.standard); });
        for (const tn_option_value& value : values_) {
            pointers_.push_back(&value);
        }
    }
    OptionTable(const OptionTable&) = delete;
    OptionTable& operator=(const OptionTable&) = delete;

    tn_option_value& operator[](std::string_view name) {
        for (tn_option_value& value : values_) {
            if (to_view(value.name) == name) {
                return value;
            }
        }
        FAIL("no option " << name);
        return values_.front();
    }

    [[nodiscard]] const std::vector<const tn_option_value*>& pointers() const { return pointers_; }

private:
    tn_option_value& add(std::int32_t type, std::string_view name) {
        return values_.emplace_back(tn_option_value{.struct_size = sizeof(tn_option_value),
                                                    .type = type,
                                                    .name = to_str(name),
                                                    .integer = 0,
                                                    .real = 0,
                                                    .text = {},
                                                    .integers = nullptr,
                                                    .reals = nullptr,
                                                    .texts = nullptr,
                                                    .count = 0});
    }
    static void put(tn_option_value& to, EmptyTable) { to.text = to_str("{}"); }
    static void put(tn_option_value& to, bool value) { to.integer = value ? 1 : 0; }
    static void put(tn_option_value& to, std::int64_t value) { to.integer = value; }
    static void put(tn_option_value& to, double value) { to.real = value; }
    static void put(tn_option_value& to, std::string_view value) { to.text = to_str(value); }
    template <class E, std::size_t N>
    void put(tn_option_value& to, const std::array<E, N>& list) {
        if constexpr (std::is_same_v<E, std::int64_t>) {
            integers_.emplace_back(list.begin(), list.end());
            to.integers = integers_.back().data();
        } else if constexpr (std::is_same_v<E, double>) {
            reals_.emplace_back(list.begin(), list.end());
            to.reals = reals_.back().data();
        } else {
            std::vector<tn_str>& texts = texts_.emplace_back();
            for (const std::string_view text : list) {
                texts.push_back(to_str(text));
            }
            to.texts = texts.data();
        }
        to.count = N;
    }

    std::vector<tn_option_value> values_;
    std::vector<const tn_option_value*> pointers_;
    std::vector<std::vector<std::int64_t>> integers_;
    std::vector<std::vector<double>> reals_;
    std::vector<std::vector<tn_str>> texts_;
};

// Of T, for readers.
template <class T>
using OptionValues = OptionTable;

// What a component's create gives, with the interface tables that go with it.
class PluginInstance {
public:
    template <class Adapter, class T>
    explicit PluginInstance(PluginHost& host, Component<Adapter, T> component, std::uint32_t lanes = 0,
                            const std::type_identity_t<std::function<void(OptionValues<T>&)>>& change = {},
                            tn_key key = {1, 2})
        : table_(component.table()) {
        OptionTable options{std::type_identity<T>()};
        if (change) {
            change(options);
        }
        create(host, options, lanes, key);
    }
    ~PluginInstance() {
        if (self_ != nullptr) {
            table_.destroy(self_);
        }
    }
    PluginInstance(const PluginInstance&) = delete;
    PluginInstance& operator=(const PluginInstance&) = delete;

    [[nodiscard]] tn_status status() const { return status_; }
    [[nodiscard]] void* self() const { return self_; }

    template <class Api>
    [[nodiscard]] const Api* api(const char* interface) const {
        return static_cast<const Api*>(table_.get_interface(interface));
    }

private:
    void create(PluginHost& host, const OptionTable& options, std::uint32_t lanes, tn_key key) {
        const tn_create_args args = {.struct_size = sizeof(tn_create_args),
                                     .lanes = lanes,
                                     .host = &host.table(),
                                     .options = options.pointers().data(),
                                     .option_count = options.pointers().size(),
                                     .key = key};
        status_ = table_.create(&args, &self_);
    }

    tn_component table_;
    void* self_ = nullptr;
    tn_status status_ = TN_OK;
};

// Saved state as bytes; reading gives it back in small pieces, as a host may.
class StateBytes {
public:
    std::vector<unsigned char> bytes;

    tn_status save(const PluginInstance& instance, std::uint32_t first, std::uint32_t count) {
        const tn_writer writer = {.struct_size = sizeof(tn_writer),
                                  .flags = 0,
                                  .ctx = this,
                                  .write = [](void* ctx, const void* data, std::uint64_t size) -> tn_status {
                                      const auto* from = static_cast<const unsigned char*>(data);
                                      auto& to = static_cast<StateBytes*>(ctx)->bytes;
                                      to.insert(to.end(), from, from + size);
                                      return TN_OK;
                                  }};
        bytes.clear();
        return instance.api<tn_state_api>("tenon.state/1")->save(instance.self(), first, count, &writer);
    }

    tn_status load(const PluginInstance& instance, std::uint32_t first, std::uint32_t count) {
        const tn_reader reader = {
            .struct_size = sizeof(tn_reader),
            .flags = 0,
            .ctx = this,
            .read = [](void* ctx, void* data, std::uint64_t size, std::uint64_t* got) -> tn_status {
                auto& from = *static_cast<StateBytes*>(ctx);
                *got = std::min<std::uint64_t>({size, 3, from.bytes.size() - from.at_});
                std::copy_n(from.bytes.data() + from.at_, *got, static_cast<unsigned char*>(data));
                from.at_ += *got;
                return TN_OK;
            }};
        at_ = 0;
        return instance.api<tn_state_api>("tenon.state/1")->load(instance.self(), first, count, &reader);
    }

private:
    std::size_t at_ = 0;
};

}  // namespace tenon::test
