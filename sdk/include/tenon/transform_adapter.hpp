// SPDX-License-Identifier: Apache-2.0
// "tenon.transform/1", "tenon.state/1" and "tenon.common/1" for a transform that knows one lane (transform.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/abi/common.h"
#include "tenon/abi/plugin.h"
#include "tenon/abi/transform.h"
#include "tenon/bind_options.hpp"
#include "tenon/saved.hpp"
#include "tenon/transform_map.hpp"
#include "tenon/transform_specs.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct NoLane {};
template <class T>
struct LaneOf {
    using Type = NoLane;
};
template <class T>
    requires requires { typename T::Lane; }
struct LaneOf<T> {
    using Type = typename T::Lane;
};

template <class T>
class TransformAdapter {
public:
    using Lane = typename LaneOf<T>::Type;

    explicit TransformAdapter(const tn_create_args& args) : host_(args.host), lane_count_(args.lanes) {
        if (lane_count_ == 0) {
            throw InvalidArgument("a transform needs at least one lane");
        }
        configure(author_, args);
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
        if constexpr (Savable<Lane>) {
            if (interface == "tenon.state/1") {
                return StateInterface<TransformAdapter>::table();
            }
        }
        if constexpr (kGathers) {
            static constexpr tn_common_api kCommon = {.struct_size = sizeof(tn_common_api),
                                                      .flags = 0,
                                                      .gather = &gather,
                                                      .save = &save_common,
                                                      .load = &load_common};
            if (interface == "tenon.common/1") {
                return &kCommon;
            }
        }
        return nullptr;
    }

    [[nodiscard]] const tn_host& host() const { return *host_; }
    void archive(Archive& archive, std::uint32_t first, std::uint32_t count) {
        for (Lane& lane : lanes_at(lanes_, first, count, per_lane())) {
            archive_object(archive, lane);
        }
    }

private:
    static constexpr bool kApplies = requires { &T::apply; };
    static constexpr bool kInverts = requires { &T::invert; };
    static constexpr bool kWires = requires(T& author, TransformSpecs& specs) { author.wire(specs); };
    static constexpr bool kGathers = requires(T& author, std::span<Lane> lanes) { author.gather(lanes); };
    static_assert(kApplies || kInverts || kWires,
                  "a transform has an apply, or an invert for actions, or a wire: see tenon/transform.hpp");
    static_assert(!kGathers || HasStateFunction<T>,
                  "what gather brings together is saved: write void state(tenon::Archive&)");

    // A column that goes through apply or invert.
    struct Mapped {
        Port inner;
        Port outer;
    };

    static TransformAdapter& of(void* self) { return *static_cast<TransformAdapter*>(self); }

    static tn_status describe(void* self, const tn_spec* const* specs, std::uint32_t count,
                              tn_transform_info* info) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            std::vector<Spec> inner;
            for (const tn_spec* one : std::span(specs, count)) {
                inner.push_back(read_spec(*one));
            }
            adapter.specs_ = TransformSpecs(std::move(inner));
            adapter.wire();
            adapter.table_ = SpecTable(adapter.specs_.outer());
            info->specs = adapter.table_.data();
            info->spec_count = adapter.table_.size();
        });
    }

    void wire() {
        if constexpr (kApplies || kInverts) {
            wire_columns();
        }
        if constexpr (kWires) {
            author_.wire(specs_);
        }
        lanes_.assign(lane_count_ * per_lane(), Lane{});
    }

    void wire_columns() {
        const std::vector<std::string> keys = keys_of_author();
        mapped_.assign(keys.size(), {});
        for (std::size_t i = 0; i < keys.size(); ++i) {
            Mapped& mapped = mapped_[i];
            specs_.read(mapped.inner, keys[i]);
            Spec after = mapped.inner.spec;
            if constexpr (requires { author_.change(after); }) {
                after = author_.change(after);
            }
            specs_.replace(mapped.outer, keys[i], std::move(after));
            check(mapped);
        }
    }

    [[nodiscard]] std::vector<std::string> keys_of_author() const {
        if constexpr (requires { author_.columns; }) {
            return author_.columns;
        } else {
            return {std::string(author_.column)};
        }
    }

    static void check(const Mapped& mapped) {
        const bool is_action = mapped.inner.spec.role == TN_ROLE_ACTION;
        if (is_action ? !kInverts : !kApplies) {
            throw InvalidArgument("column '" + mapped.inner.spec.key + "' is " + (is_action ? "" : "not ") +
                                  "an action, which this transform does not change");
        }
        if constexpr (kApplies) {
            if (!is_action) {
                RowMap<&T::apply>::check(mapped.inner.spec, mapped.outer.spec);
            }
        }
        if constexpr (kInverts) {
            if (is_action) {
                RowMap<&T::invert>::check(mapped.outer.spec, mapped.inner.spec);
            }
        }
    }

    // A lane has one Lane for each column that is mapped, or one.
    [[nodiscard]] std::size_t per_lane() const { return mapped_.empty() ? 1 : mapped_.size(); }

    static tn_status bind(void* self, const tn_transform_buffers* buffers) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            if (buffers->lanes != adapter.lane_count_) {
                throw InvalidArgument("bound with another number of lanes than made with");
            }
            if (adapter.lanes_.empty()) {
                throw FailedPrecondition("the transform was bound before it was asked for its columns");
            }
            adapter.specs_.bind(*buffers);
            const std::span inner(buffers->inner, buffers->inner_count);
            const Spec flag = unbounded("flag", {}, TN_BOOL);
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
                for (std::uint32_t lane = call->first; lane < call->first + call->count; ++lane) {
                    adapter.each_mapped(lane, [&](Mapped& mapped, Lane& state) {
                        if (mapped.inner.spec.role == TN_ROLE_ACTION) {
                            RowMap<&T::invert>::run(adapter.author_, state, mapped.outer.at, mapped.inner.at,
                                                    call->slot, lane);
                        }
                    });
                }
            }
        });
    }

    template <class Visit>
    void each_mapped(std::uint32_t lane, Visit&& visit) {
        for (std::size_t i = 0; i < mapped_.size(); ++i) {
            visit(mapped_[i], lanes_[lane * mapped_.size() + i]);
        }
    }

    void after_reset(std::uint32_t lane, const tn_transform_call& call) {
        const TransformRow row(truncated_, lane, call.slot, call.next_slot, false);
        if constexpr (requires { &T::begin; }) {
            for (Lane& state : std::span(lanes_).subspan(lane * per_lane(), per_lane())) {
                call_author<&T::begin>(author_, state, row);
            }
        }
        if constexpr (kApplies) {
            each_mapped(lane, [&](Mapped& mapped, Lane& state) {
                const std::int32_t role = mapped.inner.spec.role;
                if (role == TN_ROLE_OBSERVATION || role == TN_ROLE_EXTRA) {
                    map(mapped, state, row);
                }
            });
        }
    }

    // What an episode ends with stands in the final column; its successor's first observation comes with the reset
    // event, and so do its extras.
    void after_step(std::uint32_t lane, const tn_transform_call& call) {
        const bool done = terminated_.scalar<bool>(call.slot, lane) || truncated_.scalar<bool>(call.slot, lane);
        const TransformRow row(truncated_, lane, call.slot, call.next_slot, done);
        if constexpr (requires { &T::step; }) {
            call_author<&T::step>(author_, lanes_[lane * per_lane()], row);
        }
        if constexpr (kApplies) {
            each_mapped(lane, [&](Mapped& mapped, Lane& state) {
                const std::int32_t role = mapped.inner.spec.role;
                if (role != TN_ROLE_ACTION && !(role == TN_ROLE_EXTRA && done)) {
                    map(mapped, state, row);
                }
            });
        }
    }

    void map(Mapped& mapped, Lane& state, const TransformRow& row) {
        if constexpr (kApplies) {
            RowMap<&T::apply>::run(author_, state, row.column(mapped.inner), row.column(mapped.outer),
                                   row.slot(mapped.inner), row.lane());
        }
    }

    void require_range(const tn_transform_call& call) const {
        if (!bound_) {
            throw FailedPrecondition("the transform was used before its columns were bound");
        }
        if (call.first > lane_count_ || call.count > lane_count_ - call.first) {
            throw InvalidArgument("the transform was asked for lanes that do not exist");
        }
    }

    static tn_status gather(void* self) noexcept {
        return guard(*of(self).host_, [&] {
            if constexpr (kGathers) {
                of(self).author_.gather(std::span(of(self).lanes_));
            }
        });
    }
    static tn_status save_common(void* self, const tn_writer* writer) noexcept {
        return archive_common(self, Archive(*writer));
    }
    static tn_status load_common(void* self, const tn_reader* reader) noexcept {
        return archive_common(self, Archive(*reader));
    }
    static tn_status archive_common(void* self, Archive archive) noexcept {
        return guard(*of(self).host_, [&] {
            if constexpr (kGathers) {
                of(self).author_.state(archive);
            }
        });
    }

    const tn_host* host_;
    std::uint32_t lane_count_;
    T author_{};
    std::vector<Lane> lanes_;  // [lane][mapped column]
    std::vector<Mapped> mapped_;
    TransformSpecs specs_{{}};
    SpecTable table_;
    Column terminated_;
    Column truncated_;
    bool bound_ = false;
};

}  // namespace TENON_SDK
}  // namespace tenon
