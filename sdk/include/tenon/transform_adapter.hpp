// SPDX-License-Identifier: Apache-2.0
// "tenon.transform/1", "tenon.state/1" and "tenon.common/1" for a transform written for one lane (transform.hpp).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/abi/common.h"
#include "tenon/abi/plugin.h"
#include "tenon/abi/transform.h"
#include "tenon/arithmetic.hpp"
#include "tenon/bind_options.hpp"
#include "tenon/lane_of.hpp"
#include "tenon/lane_parts.hpp"
#include "tenon/random.hpp"
#include "tenon/saved.hpp"
#include "tenon/signature.hpp"
#include "tenon/transform_columns.hpp"
#include "tenon/transform_map.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
class TransformAdapter {
public:
    using Lane = typename LaneOf<T>::Type;

    explicit TransformAdapter(const tn_create_args& args)
        : host_(args.host), stream_(args.key.stream), columns_(args.lanes) {
        configure(author_, args);
        for (std::uint32_t lane = 0; kDraws && lane < args.lanes; ++lane) {
            rngs_.push_back(Rng::of(*args.host, args.key, 0, lane));
        }
    }

    static const void* get_interface(std::string_view interface) {
        static constexpr tn_transform_api kTransform = {.struct_size = sizeof(tn_transform_api),
                                                        .flags = kDrawsOnly ? +TN_TRANSFORM_DRAWS : 0U,
                                                        .describe = &describe,
                                                        .bind = &bind,
                                                        .apply = &apply,
                                                        .invert = kInverts || kActs ? &invert : nullptr};
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
                                                      .load = &load_common,
                                                      .part = kJoins ? &part : nullptr,
                                                      .join = kJoins ? &join : nullptr};
            if (interface == "tenon.common/1") {
                return &kCommon;
            }
        }
        if constexpr (kTellsNumbers) {
            static constexpr tn_arithmetic_api kArithmetic = {
                .struct_size = sizeof(tn_arithmetic_api), .flags = 0, .describe = &describe_arithmetic};
            if (interface == "tenon.arithmetic/1") {
                return &kArithmetic;
            }
        }
        return nullptr;
    }

    [[nodiscard]] const tn_host& host() const { return *host_; }
    void archive(Archive& archive, std::uint32_t first, std::uint32_t count) {
        const std::span<Lane> lanes = lanes_at(lanes_, first, count, columns_.per_lane());
        if constexpr (kDraws) {
            for (Rng& rng : lanes_at(rngs_, first, count)) {
                archive(rng);
            }
        }
        for (Lane& lane : lanes) {
            archive_object(archive, lane);
            if constexpr (kJoins) {
                joins_ ? lane.part(archive) : void();
            }
        }
    }

private:
    static constexpr bool kApplies = requires { &T::apply; };
    static constexpr bool kInverts = requires { &T::invert; };
    static constexpr bool kWires = requires(T& author, TransformSpecs& specs) { author.wire(specs); };
    static constexpr bool kActs = requires { &T::act; };
    static constexpr bool kGathers = requires(T& author, std::span<Lane> lanes) { author.gather(lanes); };
    static constexpr bool kJoins = kGathers && HasPart<Lane>;
    static constexpr bool kTellsNumbers =
        requires(const T& author, ColumnIndex which) { Arithmetic(author.arithmetic(which)); };
    static constexpr bool draws() {
        bool out = false;
        if constexpr (kApplies) {
            out = out || has_argument<Rng&, &T::apply>();
        }
        if constexpr (kInverts) {
            out = out || has_argument<Rng&, &T::invert>();
        }
        if constexpr (kActs) {
            out = out || has_argument<Rng&, &T::act>();
        }
        if constexpr (requires { &T::begin; }) {
            out = out || has_argument<Rng&, &T::begin>();
        }
        if constexpr (requires { &T::step; }) {
            out = out || has_argument<Rng&, &T::step>();
        }
        return out;
    }
    static constexpr bool kDraws = draws();
    static constexpr bool copies() {
        bool out = false;
        if constexpr (kApplies) {
            out = out || RowMap<&T::apply>::takes_rows();
        }
        if constexpr (kInverts) {
            out = out || RowMap<&T::invert>::takes_rows();
        }
        if constexpr (requires { T::in_place; }) {
            out = out && !T::in_place;
        }
        return out;
    }
    static constexpr bool kCopies = copies();
    static constexpr bool kDrawsOnly = kDraws && !kGathers && std::is_empty_v<Lane>;
    static_assert(kWires || !kActs, "a transform with act needs a wire, which says what it reads and writes");
    static_assert(kApplies || kInverts || kWires,
                  "a transform needs an apply, or an invert for actions, or a wire: see tenon/transform.hpp");
    static constexpr bool kNames =
        requires(const T& author) { std::string(author.column); } || requires(const T& author) {
            { author.columns } -> std::convertible_to<std::vector<std::string>>;
        };
    static_assert(
        !(kApplies || kInverts) || kNames,
        "a transform with apply or invert must name its columns: static constexpr std::string_view column, or columns, "
        "an option that is a list of strings");
    static_assert(kWires || !requires { &T::wire; }, "wire of a transform must be void wire(tenon::TransformSpecs&)");
    static_assert(kGathers || !requires { &T::gather; }, "gather of a transform must be void gather(std::span<Lane>)");
    static_assert(
        requires(T& author, Spec spec) { spec = author.change(spec); } || !requires { &T::change; },
        "change of a transform must be tenon::Spec change(tenon::Spec) const");
    static_assert(!kGathers || HasStateFunction<T>,
                  "a transform with gather must save its state: write void state(tenon::Archive&)");

    static TransformAdapter& of(void* self) { return *static_cast<TransformAdapter*>(self); }

    [[gnu::cold]] static tn_status describe(void* self, const tn_spec* const* specs, std::uint32_t count,
                                            tn_transform_info* info) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            adapter.columns_.read(std::span(specs, count));
            adapter.wire();
            adapter.columns_.give(*info);
        });
    }

    void wire() {
        if constexpr (kApplies || kInverts) {
            wire_columns();
        }
        if constexpr (kWires) {
            author_.wire(columns_.specs());
        }
        lanes_.assign(columns_.lanes() * columns_.per_lane(), Lane{});
    }

    [[gnu::cold]] void wire_columns() {
        const std::vector<std::string> keys = keys_of_author();
        columns_.map(keys);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const MappedColumn& mapped = columns_.mapped()[i];
            Spec after = of_one_agent(mapped.inner.spec);
            if constexpr (requires { author_.change(after); }) {
                after = author_.change(after);
            }
            columns_.replace(i, std::move(after));
            check(mapped);
        }
    }

    [[nodiscard]] std::vector<std::string> keys_of_author() const {
        if constexpr (requires { author_.columns; }) {
            return author_.columns;
        } else if constexpr (kNames) {
            return {std::string(author_.column)};
        }
        return {};
    }

    [[gnu::cold]] static void check(const MappedColumn& mapped) {
        TransformColumns::check_role(mapped.inner.spec, kApplies, kInverts);
        const bool is_action = mapped.inner.spec.role == TN_ROLE_ACTION;
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

    [[gnu::cold]] static tn_status bind(void* self, const tn_transform_buffers* buffers) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            adapter.columns_.bind(*buffers);
            adapter.make_scratch();
        });
    }

    static tn_status apply(void* self, const tn_transform_call* call) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            adapter.columns_.require_range(*call);
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
            adapter.columns_.require_range(*call);
            for (std::uint32_t lane = call->first; lane < call->first + call->count; ++lane) {
                if constexpr (kInverts) {
                    const auto invert_one = [&](const MappedColumn& mapped, Lane& state, ColumnIndex which,
                                                const AgentPart& part) {
                        if (mapped.inner.spec.role == TN_ROLE_ACTION) {
                            RowMap<&T::invert>::run(adapter.author_, state, mapped.outer.at, mapped.inner.at,
                                                    call->slot, lane, part, adapter.scratch_of(lane), which,
                                                    adapter.rng_of(lane));
                        }
                    };
                    adapter.each_mapped(lane, invert_one);
                }
                if constexpr (kActs) {
                    const TransformRow row = adapter.columns_.row_of_action(lane, *call);
                    Lane& state = adapter.lanes_[lane * adapter.columns_.per_lane()];
                    call_author<&T::act>(adapter.author_, state, row, adapter.rng_of(lane));
                }
            }
        });
    }

    // Room for a row of each lane, for columns that may have the same memory on both sides.
    [[gnu::cold]] void make_scratch() {
        if constexpr (kCopies) {
            constexpr std::size_t kLine = 64;  // lanes of several threads do not share one
            scratch_row_ = 0;
            for (const MappedColumn& mapped : columns_.mapped()) {
                if (mapped.inner.at.row_bytes() == mapped.outer.at.row_bytes()) {
                    scratch_row_ = std::max(scratch_row_, (mapped.outer.at.row_bytes() + kLine - 1) / kLine * kLine);
                }
            }
            scratch_.resize(scratch_row_ * columns_.lanes());
        }
    }
    std::byte* scratch_of(std::uint32_t lane) {
        if constexpr (kCopies) {
            return scratch_.data() + lane * scratch_row_;
        } else {
            return nullptr;
        }
    }

    // An empty object for transforms without random numbers.
    auto& rng_of(std::uint32_t lane) {
        if constexpr (kDraws) {
            return rngs_[lane];
        } else {
            return none_;
        }
    }

    // With a seed a lane starts again.
    void restart(std::uint32_t lane, std::uint64_t seed) {
        for (Lane& state : lanes_at(lanes_, lane, 1, columns_.per_lane())) {
            state = Lane{};
        }
        if constexpr (kDraws) {
            rngs_[lane] = Rng(*host_, {seed, stream_});
        }
    }

    template <class Visit>
    void each_mapped(std::uint32_t lane, Visit&& visit) {
        const std::span<MappedColumn> mapped = columns_.mapped();
        Lane* state = lanes_.data() + lane * columns_.per_lane();
        for (std::size_t agent = 0; agent < columns_.agents(); ++agent) {
            for (std::size_t i = 0; i < mapped.size(); ++i, ++state) {
                if (agent < mapped[i].agents) {
                    visit(mapped[i], *state, ColumnIndex{i}, AgentPart{agent, mapped[i].agents});
                }
            }
        }
    }

    void after_reset(std::uint32_t lane, const tn_transform_call& call) {
        const TransformRow row = columns_.row_of_reset(lane, call);
        constexpr std::size_t kWithSeeds = offsetof(tn_transform_call, seeds) + sizeof(call.seeds);
        if (call.struct_size >= kWithSeeds && call.seeds != nullptr) {
            restart(lane, call.seeds[lane]);
        }
        if constexpr (requires { &T::begin; }) {
            for (Lane& state : lanes_at(lanes_, lane, 1, columns_.per_lane())) {
                call_author<&T::begin>(author_, state, row, rng_of(lane));
            }
        }
        if constexpr (kApplies) {
            each_mapped(lane, [&](const MappedColumn& mapped, Lane& state, ColumnIndex which, const AgentPart& part) {
                const std::int32_t role = mapped.inner.spec.role;
                if (role == TN_ROLE_OBSERVATION || role == TN_ROLE_EXTRA) {
                    map(mapped, state, row, which, part);
                }
            });
        }
    }

    // The final column holds the episode's last observation. The first observation of the next episode comes with the
    // reset event, and so do its extras.
    void after_step(std::uint32_t lane, const tn_transform_call& call) {
        const TransformRow row = columns_.row_of_step(lane, call);
        if constexpr (requires { &T::step; }) {
            call_author<&T::step>(author_, lanes_[lane * columns_.per_lane()], row, rng_of(lane));
        }
        if constexpr (kApplies) {
            each_mapped(lane, [&](const MappedColumn& mapped, Lane& state, ColumnIndex which, const AgentPart& part) {
                const std::int32_t role = mapped.inner.spec.role;
                if (role != TN_ROLE_ACTION && !(role == TN_ROLE_EXTRA && row.done())) {
                    map(mapped, state, row, which, part);
                }
            });
        }
    }

    // An agent begins with each return, as its lane does with an episode. Absent agents have zeros, whatever the env
    // has written, and nothing is learnt from them.
    void map(const MappedColumn& mapped, Lane& state, const TransformRow& row, ColumnIndex which,
             const AgentPart& part) {
        if (!row.takes_part(mapped.inner, part.agent)) {
            const std::span out = row.column(mapped.outer).bytes(row.slot(mapped.outer), row.lane());
            std::ranges::fill(part.of(out), std::byte{0});
            return;
        }
        if constexpr (requires { &T::begin; }) {
            if (row.comes(mapped.inner, part.agent)) {
                call_author<&T::begin>(author_, state, row, rng_of(row.lane()));
            }
        }
        if constexpr (kApplies) {
            RowMap<&T::apply>::run(author_, state, row.column(mapped.inner), row.column(mapped.outer),
                                   row.slot(mapped.inner), row.lane(), part, scratch_of(row.lane()), row, which,
                                   rng_of(row.lane()));
        }
    }

    static tn_status gather(void* self) noexcept {
        return guard(*of(self).host_, [&] {
            if constexpr (kGathers) {
                of(self).author_.gather(std::span(of(self).lanes_));
            }
        });
    }
    [[gnu::cold]] static tn_status part(void* self, const tn_writer* writer) noexcept {
        return guard(*of(self).host_, [&] {
            if constexpr (kJoins) {
                write_parts(std::span(of(self).lanes_), *writer);
            }
        });
    }
    [[gnu::cold]] static tn_status join(void* self, const tn_reader* const* parts, std::uint32_t count) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            adapter.joins_ = true;
            if constexpr (kJoins) {
                std::vector<Lane> all;
                for (std::uint32_t i = 0; i < count; ++i) {
                    read_parts(all, *parts[i]);
                }
                if (count > 0) {
                    adapter.author_.gather(std::span(all));
                    std::ranges::for_each(adapter.lanes_, [](Lane& lane) { forget_part(lane); });
                }
            }
        });
    }
    [[gnu::cold]] static tn_status save_common(void* self, const tn_writer* writer) noexcept {
        return archive_common(self, Archive(*writer));
    }
    [[gnu::cold]] static tn_status load_common(void* self, const tn_reader* reader) noexcept {
        return archive_common(self, Archive(*reader));
    }
    static tn_status archive_common(void* self, Archive archive) noexcept {
        return guard(*of(self).host_, [&] {
            if constexpr (kGathers) {
                of(self).author_.state(archive);
            }
        });
    }

    [[gnu::cold]] static tn_status describe_arithmetic(void* self, tn_str key, tn_arithmetic* out) noexcept {
        TransformAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            const std::span<MappedColumn> mapped = adapter.columns_.mapped();
            const auto found = std::ranges::find_if(
                mapped, [&](const MappedColumn& one) { return one.inner.spec.key == to_view(key); });
            if (found == mapped.end()) {
                throw NotFound("it does not change the column '" + std::string(to_view(key)) + "'");
            }
            if constexpr (kTellsNumbers) {
                const ColumnIndex which{static_cast<std::size_t>(found - mapped.begin())};
                give(adapter.told_.for_agents(adapter.author_.arithmetic(which), found->agents), *out);
            }
        });
    }

    struct NoRng {};

    const tn_host* host_;
    std::uint64_t stream_;
    TransformColumns columns_;
    T author_{};
    std::vector<Rng> rngs_;  // [lane]; none if the author draws nothing
    [[no_unique_address]] NoRng none_;
    std::vector<Lane> lanes_;  // [lane][agent][mapped column]
    bool joins_ = false;       // the host joins the parts of several instances
    RepeatedArithmetic told_;
    std::vector<std::byte> scratch_;  // [lane][scratch_row_]
    std::size_t scratch_row_ = 0;
};

}  // namespace TENON_SDK
}  // namespace tenon
