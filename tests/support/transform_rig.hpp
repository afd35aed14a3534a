// SPDX-License-Identifier: Apache-2.0
// A transform between its columns, driven as the host drives it: a column that keeps key, dtype and shape is changed in
// place, any other has memory of its own on the outside, and so have actions if they are inverted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_columns.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/abi/common.h"
#include "tenon/abi/transform.h"
#include "tenon/spec.hpp"

namespace tenon::test {

inline Spec with_role(std::int32_t role, Spec spec) {
    spec.role = role;
    return spec;
}

class TransformRig {
public:
    template <class Adapter, class T>
    TransformRig(Component<Adapter, T> component, const std::vector<Spec>& specs, std::uint32_t slots,
                 std::uint32_t lanes, const std::type_identity_t<std::function<void(OptionValues<T>&)>>& change = {})
        : instance(host, component, lanes, change), inner(slots, lanes), own_(slots, lanes) {
        start(specs);
    }

    // Step and reset of all lanes, or of those whose byte in mask is 1.
    void step(std::uint32_t slot) { run(api->apply, TN_TRANSFORM_STEP, slot, slot + 1, nullptr); }
    void reset(std::uint32_t slot, const std::vector<std::uint8_t>& mask = {},
               const std::vector<std::uint64_t>& seeds = {}) {
        run(api->apply, TN_TRANSFORM_RESET, slot, slot, mask.empty() ? nullptr : mask.data(),
            seeds.empty() ? nullptr : seeds.data());
    }
    void invert(std::uint32_t slot) {
        for (const Spec& spec : copied_) {
            for (std::uint32_t lane = 0; lane < inner.lanes(); ++lane) {
                std::ranges::copy(own_.row(spec.key, slot, lane), inner.row(spec.key, slot, lane).begin());
            }
        }
        run(api->invert, TN_TRANSFORM_STEP, slot, slot + 1, nullptr);
    }
    void gather() const { REQUIRE(common->gather(instance.self()) == TN_OK); }

    void flags(std::uint32_t slot, std::uint32_t lane, bool terminated, bool truncated = false) {
        inner.at<bool>("terminated", slot, lane) = terminated;
        inner.at<bool>("truncated", slot, lane) = truncated;
    }

    // The columns on the outer side that have this one.
    PluginColumns& outer(const std::string& key) {
        const bool own = std::ranges::any_of(
            own_keys_, [&](const std::string& each) { return key == each || key == "next." + each; });
        return own ? own_ : inner;
    }
    // An element on the outer side.
    template <class E>
    E& out(const std::string& key, std::uint32_t slot, std::uint32_t lane, std::size_t element = 0) {
        return outer(key).at<E>(key, slot, lane, element);
    }

    [[nodiscard]] const Spec& spec(const std::string& key) const {
        const auto found = std::ranges::find(after, key, &Spec::key);
        REQUIRE(found != after.end());
        return *found;
    }
    [[nodiscard]] bool has(const std::string& key) const {
        return std::ranges::find(after, key, &Spec::key) != after.end();
    }
    // All bytes of a slot on both sides.
    [[nodiscard]] std::vector<unsigned char> row_bytes(std::uint32_t slot) const {
        std::vector<unsigned char> all = inner.bytes(slot);
        const std::vector<unsigned char> own = own_.bytes(slot);
        all.insert(all.end(), own.begin(), own.end());
        return all;
    }
    [[nodiscard]] bool canaries_intact() const { return inner.canaries_intact() && own_.canaries_intact(); }

    PluginHost host;
    PluginInstance instance;
    PluginColumns inner;
    const tn_transform_api* api = nullptr;
    const tn_common_api* common = nullptr;
    std::vector<Spec> after;

private:
    void start(const std::vector<Spec>& specs) {
        INFO(host.error);
        REQUIRE(instance.status() == TN_OK);
        api = instance.api<tn_transform_api>("tenon.transform/1");
        common = instance.api<tn_common_api>("tenon.common/1");
        const SpecTable before(specs);
        tn_transform_info info{};
        info.struct_size = sizeof(info);
        const tn_status described = api->describe(instance.self(), before.data(), before.size(), &info);
        INFO(host.error);
        REQUIRE(described == TN_OK);
        inner.add(before.data(), before.size());
        for (std::uint32_t i = 0; i < info.spec_count; ++i) {
            after.push_back(read_spec(*info.specs[i]));
            const auto same = std::ranges::find_if(specs, [&](const Spec& spec) {
                return spec.key == after.back().key && spec.dtype == after.back().dtype &&
                       spec.shape == after.back().shape;
            });
            const bool is_inverted = after.back().role == TN_ROLE_ACTION && api->invert != nullptr;
            if (same == specs.end() || is_inverted) {
                own_.add(&info.specs[i], 1);
                own_keys_.push_back(after.back().key);
            }
            if (same != specs.end() && is_inverted) {
                copied_.push_back(after.back());
            }
        }
        bind();
    }

    void bind() {
        const std::vector<const tn_column*> inner_columns(inner.data(), inner.data() + inner.size());
        std::vector<const tn_column*> outer_columns(own_.data(), own_.data() + own_.size());
        outer_columns.insert(outer_columns.end(), inner_columns.begin(), inner_columns.end());
        const tn_transform_buffers buffers = {.struct_size = sizeof(tn_transform_buffers),
                                              .flags = 0,
                                              .slots = inner.slots(),
                                              .lanes = inner.lanes(),
                                              .inner = inner_columns.data(),
                                              .inner_count = inner_columns.size(),
                                              .outer = outer_columns.data(),
                                              .outer_count = outer_columns.size()};
        REQUIRE(api->bind(instance.self(), &buffers) == TN_OK);
    }

    void run(tn_status (*function)(void*, const tn_transform_call*), std::int32_t event, std::uint32_t slot,
             std::uint32_t next_slot, const std::uint8_t* mask, const std::uint64_t* seeds = nullptr) {
        const tn_transform_call call = {.struct_size = sizeof(tn_transform_call),
                                        .event = event,
                                        .slot = slot,
                                        .next_slot = next_slot,
                                        .first = 0,
                                        .count = inner.lanes(),
                                        .mask = mask,
                                        .seeds = seeds};
        REQUIRE(function(instance.self(), &call) == TN_OK);
    }

    PluginColumns own_;
    std::vector<std::string> own_keys_;
    std::vector<Spec> copied_;  // actions whose rows are copied before an inversion
};

// What lanes have in common, as bytes.
class CommonBytes {
public:
    std::vector<unsigned char> bytes;

    tn_status save(const tn_common_api* api, const PluginInstance& instance) {
        const tn_writer writer = {.struct_size = sizeof(tn_writer),
                                  .flags = 0,
                                  .ctx = &bytes,
                                  .write = [](void* ctx, const void* data, std::uint64_t size) -> tn_status {
                                      const auto* from = static_cast<const unsigned char*>(data);
                                      auto& to = *static_cast<std::vector<unsigned char>*>(ctx);
                                      to.insert(to.end(), from, from + size);
                                      return TN_OK;
                                  }};
        bytes.clear();
        return api->save(instance.self(), &writer);
    }

    tn_status load(const tn_common_api* api, const PluginInstance& instance) {
        const tn_reader reader = {
            .struct_size = sizeof(tn_reader),
            .flags = 0,
            .ctx = this,
            .read = [](void* ctx, void* data, std::uint64_t size, std::uint64_t* got) -> tn_status {
                auto& from = *static_cast<CommonBytes*>(ctx);
                *got = std::min<std::uint64_t>(size, from.bytes.size() - from.at_);
                std::copy_n(from.bytes.data() + from.at_, *got, static_cast<unsigned char*>(data));
                from.at_ += *got;
                return TN_OK;
            }};
        at_ = 0;
        return api->load(instance.self(), &reader);
    }

private:
    std::size_t at_ = 0;
};

// What the lanes have seen and nothing has merged.
inline std::vector<unsigned char> part_of(const TransformRig& rig) {
    std::vector<unsigned char> out;
    const tn_writer writer = {.struct_size = sizeof(tn_writer),
                              .flags = 0,
                              .ctx = &out,
                              .write = [](void* ctx, const void* data, std::uint64_t size) -> tn_status {
                                  const auto* from = static_cast<const unsigned char*>(data);
                                  auto& to = *static_cast<std::vector<unsigned char>*>(ctx);
                                  to.insert(to.end(), from, from + size);
                                  return TN_OK;
                              }};
    REQUIRE(rig.common->part(rig.instance.self(), &writer) == TN_OK);
    return out;
}

// None: from now on parts are joined.
inline tn_status join_parts(const TransformRig& rig, std::vector<std::vector<unsigned char>> parts) {
    struct Source {
        std::vector<unsigned char>* bytes;
        std::size_t at = 0;
    };
    std::vector<Source> sources;
    for (std::vector<unsigned char>& part : parts) {
        sources.push_back({.bytes = &part});
    }
    std::vector<tn_reader> readers;
    for (Source& source : sources) {
        readers.push_back({.struct_size = sizeof(tn_reader),
                           .flags = 0,
                           .ctx = &source,
                           .read = [](void* ctx, void* data, std::uint64_t size, std::uint64_t* got) -> tn_status {
                               auto& from = *static_cast<Source*>(ctx);
                               *got = std::min<std::uint64_t>(size, from.bytes->size() - from.at);
                               std::copy_n(from.bytes->data() + from.at, *got, static_cast<unsigned char*>(data));
                               from.at += *got;
                               return TN_OK;
                           }});
    }
    std::vector<const tn_reader*> addresses;
    for (const tn_reader& reader : readers) {
        addresses.push_back(&reader);
    }
    return rig.common->join(rig.instance.self(), addresses.data(), static_cast<std::uint32_t>(addresses.size()));
}

inline std::string refusal(PluginHost& host, const PluginInstance& instance, const std::vector<Spec>& specs) {
    if (instance.status() == TN_OK) {
        const SpecTable table(specs);
        tn_transform_info info{};
        info.struct_size = sizeof(info);
        const auto* api = instance.api<tn_transform_api>("tenon.transform/1");
        CHECK(api->describe(instance.self(), table.data(), table.size(), &info) == TN_INVALID_ARGUMENT);
    } else {
        CHECK(instance.status() == TN_INVALID_ARGUMENT);
    }
    return host.error;
}

// What a transform says of columns that it cannot work on.
template <class Adapter, class T>
std::string refusal(Component<Adapter, T> component, const std::vector<Spec>& specs,
                    const std::type_identity_t<std::function<void(OptionValues<T>&)>>& change = {}) {
    PluginHost host;
    const PluginInstance instance(host, component, 1, change);
    return refusal(host, instance, specs);
}

}  // namespace tenon::test
