// SPDX-License-Identifier: Apache-2.0
// "tenon.transform/1" and "tenon.state/1" for a transform that knows one row of one column (transform.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tenon/abi/plugin.h"
#include "tenon/abi/transform.h"
#include "tenon/bind_options.hpp"
#include "tenon/column.hpp"
#include "tenon/guard.hpp"
#include "tenon/signature.hpp"
#include "tenon/spec.hpp"
#include "tenon/state.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
class TransformAdapter {
public:
    explicit TransformAdapter(const tn_create_args& args) : host_(args.host), lanes_(args.lanes) {
        for (T& lane : lanes_) {
            configure(lane, args);
        }
        if (lanes_.empty()) {
            throw InvalidArgument("a transform needs at least one lane");
        }
    }

    static const void* get_interface(std::string_view interface) {
        static constexpr tn_transform_api kTransform = {.struct_size = sizeof(tn_transform_api),
                                                        .flags = 0,
                                                        .describe = &describe,
                                                        .bind = &bind,
                                                        .apply = &apply,
                                                        .invert = kInverts ? &invert : nullptr};
        if (interface == "tenon.transform/1") {
            return &kTransform;
        }
        if constexpr (Savable<T>) {
            static constexpr tn_state_api kState = {
                .struct_size = sizeof(tn_state_api), .flags = 0, .save = &save, .load = &load};
            if (interface == "tenon.state/1") {
                return &kState;
            }
        }
        return nullptr;
    }

private:
    static constexpr bool kApplies = requires { &T::apply; };
    static constexpr bool kInverts = requires { &T::invert; };
    static_assert(kApplies || kInverts, "a transform has an apply, or an invert for actions: see tenon/transform.hpp");

    static TransformAdapter& of(void* self) { return *static_cast<TransformAdapter*>(self); }

    static tn_status describe(void* self, const tn_spec* const* specs, std::uint32_t count,
                              tn_transform_info* info) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            const std::string key(adapter.lanes_[0].column);
            std::vector<Spec> changed;
            bool found = false;
            for (const tn_spec* one : std::span(specs, count)) {
                Spec spec = read_spec(*one);
                if (spec.key == key) {
                    found = true;
                    adapter.inner_spec_ = spec;
                    if constexpr (requires { adapter.lanes_[0].change(spec); }) {
                        spec = adapter.lanes_[0].change(spec);
                        spec.role = one->role;
                    }
                    adapter.outer_spec_ = spec;
                }
                changed.push_back(std::move(spec));
            }
            if (!found) {
                throw InvalidArgument("there is no column '" + key + "' to transform");
            }
            adapter.check_types();
            adapter.specs_ = SpecTable(std::move(changed));
            info->specs = adapter.specs_.data();
            info->spec_count = adapter.specs_.size();
        });
    }

    void check_types() const {
        const bool is_action = inner_spec_.role == TN_ROLE_ACTION;
        if (is_action ? !kInverts : !kApplies) {
            throw InvalidArgument("column '" + inner_spec_.key + "' is " + (is_action ? "" : "not ") +
                                  "an action, which this transform does not change");
        }
        if constexpr (kApplies) {
            if (!is_action) {
                check_arguments<&T::apply>(inner_spec_, outer_spec_);
            }
        }
        if constexpr (kInverts) {
            if (is_action) {
                check_arguments<&T::invert>(outer_spec_, inner_spec_);
            }
        }
    }

    template <auto Function>
    using Input = typename SpanTraits<
        std::remove_cvref_t<std::tuple_element_t<0, typename Signature<decltype(Function)>::Arguments>>>::Element;
    template <auto Function>
    using Output = typename SpanTraits<
        std::remove_cvref_t<std::tuple_element_t<1, typename Signature<decltype(Function)>::Arguments>>>::Element;

    template <auto Function>
    static void check_arguments(const Spec& from, const Spec& to) {
        const std::int32_t in = dtype_of<std::remove_const_t<Input<Function>>>();
        const std::int32_t out = dtype_of<Output<Function>>();
        if (from.dtype != in || to.dtype != out) {
            throw InvalidArgument("the transform turns " + std::string(dtype_name(in)) + " into " + dtype_name(out) +
                                  ", but column '" + from.key + "' goes from " + dtype_name(from.dtype) + " to " +
                                  dtype_name(to.dtype));
        }
    }

    static tn_status bind(void* self, const tn_transform_buffers* buffers) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            if (buffers->lanes != adapter.lanes_.size()) {
                throw InvalidArgument("bound with another number of lanes than made with");
            }
            const auto find = [&](bool inner, const std::string& key) {
                return Column::find(inner ? std::span(buffers->inner, buffers->inner_count)
                                          : std::span(buffers->outer, buffers->outer_count),
                                    key, inner ? adapter.inner_spec_ : adapter.outer_spec_, buffers->slots,
                                    buffers->lanes);
            };
            const std::span inner(buffers->inner, buffers->inner_count);
            const Spec flag = unbounded("flag", {}, TN_BOOL);
            const std::string& key = adapter.inner_spec_.key;
            adapter.inner_ = find(true, key);
            adapter.outer_ = find(false, adapter.outer_spec_.key);
            if (adapter.inner_spec_.role == TN_ROLE_OBSERVATION) {
                adapter.inner_final_ = find(true, "next." + key);
                adapter.outer_final_ = find(false, "next." + adapter.outer_spec_.key);
            }
            adapter.terminated_ = Column::find(inner, "terminated", flag, buffers->slots, buffers->lanes);
            adapter.truncated_ = Column::find(inner, "truncated", flag, buffers->slots, buffers->lanes);
            adapter.bound_ = true;
        });
    }

    static tn_status apply(void* self, const tn_transform_call* call) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            adapter.require_range(*call);
            for (std::uint32_t lane = call->first; lane < call->first + call->count; ++lane) {
                if (call->event == TN_TRANSFORM_STEP) {
                    adapter.after_step(lane, *call);
                } else if (call->mask == nullptr || call->mask[lane] != 0) {
                    adapter.after_reset(lane, *call);
                }
            }
        });
    }

    static tn_status invert(void* self, const tn_transform_call* call) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            adapter.require_range(*call);
            if constexpr (kInverts) {
                if (adapter.inner_spec_.role == TN_ROLE_ACTION) {
                    for (std::uint32_t i = call->first; i < call->first + call->count; ++i) {
                        adapter.lanes_[i].invert(adapter.outer_.template row<Input<&T::invert>>(call->slot, i),
                                                 adapter.inner_.template row<Output<&T::invert>>(call->slot, i));
                    }
                }
            }
        });
    }

    void after_reset(std::uint32_t lane, const tn_transform_call& call) {
        if constexpr (requires { lanes_[lane].begin(); }) {
            lanes_[lane].begin();
        }
        if (inner_spec_.role == TN_ROLE_OBSERVATION || inner_spec_.role == TN_ROLE_EXTRA) {
            apply_row(inner_, outer_, call.next_slot, lane);
        }
    }

    // What an episode ends with stands in the final column; its successor's first observation comes with the reset
    // event.
    void after_step(std::uint32_t lane, const tn_transform_call& call) {
        const bool done = terminated_.scalar<bool>(call.slot, lane) || truncated_.scalar<bool>(call.slot, lane);
        switch (inner_spec_.role) {
            case TN_ROLE_REWARD:
                apply_row(inner_, outer_, call.slot, lane);
                break;
            case TN_ROLE_OBSERVATION:
                if (done) {
                    apply_row(inner_final_, outer_final_, call.slot, lane);
                } else {
                    apply_row(inner_, outer_, call.next_slot, lane);
                }
                break;
            case TN_ROLE_EXTRA:
                if (!done) {
                    apply_row(inner_, outer_, call.next_slot, lane);
                }
                break;
            default:
                break;
        }
    }

    void apply_row(const Column& from, const Column& to, std::uint32_t slot, std::uint32_t lane) {
        if constexpr (kApplies) {
            lanes_[lane].apply(from.row<Input<&T::apply>>(slot, lane), to.row<Output<&T::apply>>(slot, lane));
        }
    }

    void require_range(const tn_transform_call& call) const {
        if (!bound_) {
            throw FailedPrecondition("the transform was used before its columns were bound");
        }
        if (call.first > lanes_.size() || call.count > lanes_.size() - call.first) {
            throw InvalidArgument("the transform was asked for lanes that do not exist");
        }
    }

    static tn_status save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) noexcept {
        return of(self).archive_lanes(first, count, Archive(*writer));
    }
    static tn_status load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) noexcept {
        return of(self).archive_lanes(first, count, Archive(*reader));
    }

    tn_status archive_lanes(std::uint32_t first, std::uint32_t count, Archive archive) noexcept {
        return guard(*host_, [&] {
            if (first > lanes_.size() || count > lanes_.size() - first) {
                throw InvalidArgument("state was asked for of lanes that do not exist");
            }
            for (T& lane : std::span(lanes_).subspan(first, count)) {
                archive_object(archive, lane);
            }
        });
    }

    const tn_host* host_;
    std::vector<T> lanes_;
    Spec inner_spec_;
    Spec outer_spec_;
    SpecTable specs_;
    Column inner_;
    Column outer_;
    Column inner_final_;
    Column outer_final_;
    Column terminated_;
    Column truncated_;
    bool bound_ = false;
};

}  // namespace TENON_SDK
}  // namespace tenon
