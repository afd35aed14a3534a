// SPDX-License-Identifier: Apache-2.0
// The columns of a transform: the inputs and what it makes of them, first by key and later as memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/abi/transform.h"
#include "tenon/column.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// A column that a transform reads or writes; the author declares it as a member and the SDK sets it.
struct Port {
    Spec spec;
    Column at;
    Column final;  // of observations: the final one of an episode
    // Of a group whose agents come and go: who is present, and who is when an episode ends; else without elements.
    Column present;
    Column final_present;
};

class TransformSpecs {
public:
    explicit TransformSpecs(std::vector<Spec> inner, std::uint32_t lanes = 1)
        : inner_(std::move(inner)), outer_(inner_), lanes_(lanes) {}

    // The number of lanes of the instance.
    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }

    // All input columns.
    [[nodiscard]] const std::vector<Spec>& inner() const { return inner_; }

    // An input column; throws, listing the columns, if there is none with this key.
    [[nodiscard]] const Spec& find(std::string_view key) const {
        const auto found = std::ranges::find(inner_, key, &Spec::key);
        if (found == inner_.end()) {
            std::string listed;
            for (const Spec& spec : inner_) {
                listed += (listed.empty() ? "" : ", ") + spec.key;
            }
            throw InvalidArgument("there is no column '" + std::string(key) + "' to transform; there are " + listed);
        }
        return *found;
    }

    void read(Port& port, std::string_view key) {
        port.spec = find(key);
        ports_.push_back({&port, true});
    }

    // Adds a column of the transform's own; its key must not be in use.
    void add(Port& port, Spec spec, std::int32_t role = TN_ROLE_OBSERVATION) {
        if (std::ranges::find(outer_, spec.key, &Spec::key) != outer_.end()) {
            throw InvalidArgument("the column '" + spec.key + "' already exists; give the new one another key");
        }
        spec.role = role;
        spec.group = group_of(spec);
        outer_.push_back(spec);
        port.spec = std::move(spec);
        ports_.push_back({&port, false});
    }

    // Replaces the input column `key`; keeps its role and group and may change its key.
    void replace(Port& port, std::string_view key, Spec spec) {
        spec.role = find(key).role;
        spec.group = group_of(spec);
        if (spec.key != key && std::ranges::find(outer_, spec.key, &Spec::key) != outer_.end()) {
            throw InvalidArgument("'" + std::string(key) + "' cannot become '" + spec.key +
                                  "': a column with this key already exists");
        }
        *std::ranges::find(outer_, key, &Spec::key) = spec;
        port.spec = std::move(spec);
        ports_.push_back({&port, false});
    }

    void remove(std::string_view key) {
        std::erase_if(outer_, [&, found = &find(key)](const Spec& spec) { return spec.key == found->key; });
    }

    // For the adapter: the outer side, and the positions of the ports.
    [[nodiscard]] const std::vector<Spec>& outer() const { return outer_; }
    void bind(const tn_transform_buffers& buffers) const {
        for (const Bound& bound : ports_) {
            const std::span columns = bound.inner ? std::span(buffers.inner, buffers.inner_count)
                                                  : std::span(buffers.outer, buffers.outer_count);
            Port& port = *bound.port;
            port.at = Column::find(columns, port.spec.key, port.spec, buffers.slots, buffers.lanes);
            if (port.spec.role == TN_ROLE_OBSERVATION) {
                port.final = Column::find(columns, "next." + port.spec.key, port.spec, buffers.slots, buffers.lanes);
            }
            bind_present(port, buffers);
        }
    }

private:
    struct Bound {
        Port* port;
        bool inner;
    };

    // Minibatches have the columns that are changed there, and not always this one: then all rows count.
    void bind_present(Port& port, const tn_transform_buffers& buffers) const {
        const std::span columns(buffers.inner, buffers.inner_count);
        const std::string key = port.spec.group + ".present";
        const auto has = [&](const std::string& one) {
            return std::ranges::any_of(columns, [&](const tn_column* column) { return to_view(column->key) == one; });
        };
        const auto spec = std::ranges::find(inner_, key, &Spec::key);
        if (port.spec.group.empty() || port.spec.key == key || spec == inner_.end() || spec->dtype != TN_BOOL ||
            !has(key) || !has("next." + key)) {
            return;
        }
        port.present = Column::find(columns, key, *spec, buffers.slots, buffers.lanes);
        port.final_present = Column::find(columns, "next." + key, *spec, buffers.slots, buffers.lanes);
    }

    // A column whose key is below a group's name is of the group, also where the author left that out.
    [[nodiscard]] std::string group_of(const Spec& spec) const {
        const auto above = std::ranges::find_if(
            inner_, [&](const Spec& one) { return !one.group.empty() && spec.key.starts_with(one.group + "."); });
        return spec.group.empty() && above != inner_.end() ? above->group : spec.group;
    }

    std::vector<Spec> inner_;
    std::vector<Spec> outer_;
    std::vector<Bound> ports_;
    std::uint32_t lanes_;
};

// The columns that say how episodes end.
struct EndColumns {
    Column terminated;
    Column truncated;
};

// What happened in one lane: an episode began, or a step was taken.
struct TransformEvent {
    bool begins = false;
    bool terminated = false;
    bool truncated = false;
};

// One lane in one event.
class TransformRow {
public:
    TransformRow(const EndColumns& ends, std::uint32_t lane, std::uint32_t slot, std::uint32_t next_slot,
                 const TransformEvent& event)
        : ends_(&ends),
          lane_(lane),
          slot_(slot),
          next_slot_(next_slot),
          event_(event),
          done_(event.terminated || event.truncated) {}

    // Whether this is the first row of an episode; otherwise a step was taken.
    [[nodiscard]] bool begins() const { return event_.begins; }
    // How the env and the inner transforms ended the episode in this step; both false if the episode continues.
    [[nodiscard]] bool terminated() const { return event_.terminated; }
    [[nodiscard]] bool truncated() const { return event_.truncated; }
    // Whether the step ended the episode in either way.
    [[nodiscard]] bool done() const { return done_; }
    // Ends the episode after this step: a truncated one would have continued, a terminated one is over.
    void truncate() const { ends_->truncated.scalar<bool>(slot_, lane_) = true; }
    void terminate() const { ends_->terminated.scalar<bool>(slot_, lane_) = true; }

    // The column's row for this event: rewards and actions of the step, but the new observation.
    template <class E>
    [[nodiscard]] std::span<E> row(const Port& port) const {
        return column(port).template row<E>(slot(port), lane_);
    }
    [[nodiscard]] double number(const Port& port, std::size_t element = 0) const {
        return with_dtype(port.at.dtype(),
                          [&](auto zero) { return static_cast<double>(row<const decltype(zero)>(port)[element]); });
    }
    // Writes the first element.
    void set_number(const Port& port, double x) const {
        with_dtype(port.at.dtype(), [&](auto zero) { row<decltype(zero)>(port)[0] = static_cast<decltype(zero)>(x); });
    }

    // Whether an agent has this row of the column: it was present before the step or, of an observation, is after it,
    // as the last observation of an agent comes with the step after which it is absent. Others have zeros.
    [[nodiscard]] bool takes_part(const Port& port, std::size_t agent) const {
        return port.present.elements() == 0 || was_present(port, agent) ||
               (!is_of_step(port) && is_present(port, agent));
    }
    // Whether the observation is the first one of an agent that was absent before the step.
    [[nodiscard]] bool comes(const Port& port, std::size_t agent) const {
        return port.present.elements() != 0 && !event_.begins && !was_present(port, agent) && is_present(port, agent);
    }

    // For the adapter.
    [[nodiscard]] const Column& column(const Port& port) const {
        return done_ && port.spec.role == TN_ROLE_OBSERVATION ? port.final : port.at;
    }
    [[nodiscard]] std::uint32_t slot(const Port& port) const {
        return is_of_step(port) || (done_ && port.spec.role == TN_ROLE_OBSERVATION) ? slot_ : next_slot_;
    }
    [[nodiscard]] std::uint32_t lane() const { return lane_; }

private:
    static bool is_of_step(const Port& port) {
        return port.spec.role == TN_ROLE_REWARD || port.spec.role == TN_ROLE_ACTION;
    }
    [[nodiscard]] bool was_present(const Port& port, std::size_t agent) const {
        return !event_.begins && port.present.row<const bool>(slot_, lane_)[agent];
    }
    [[nodiscard]] bool is_present(const Port& port, std::size_t agent) const {
        return done_ ? port.final_present.row<const bool>(slot_, lane_)[agent]
                     : port.present.row<const bool>(next_slot_, lane_)[agent];
    }

    const EndColumns* ends_;
    std::uint32_t lane_;
    std::uint32_t slot_;
    std::uint32_t next_slot_;
    TransformEvent event_;
    bool done_;
};

}  // namespace TENON_SDK
}  // namespace tenon
