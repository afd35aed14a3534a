// SPDX-License-Identifier: Apache-2.0
// Joins numbers and vectors into one vector, in the given order. The same as TorchRL's CatTensors with sort=False.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct CatColumns {
    std::vector<std::string> columns;
    std::string to;
    bool keep;
    std::vector<tenon::Port> parts;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::required<&CatColumns::columns>("columns", "", "the observations to join"),
        tenon::option<&CatColumns::to>("to", "observation_vector", "the key of the vector"),
        tenon::option<&CatColumns::keep>("keep", false, "whether the joined columns also stay by themselves"),
    };

    void wire(tenon::TransformSpecs& specs) {
        if (columns.empty()) {
            throw tenon::InvalidArgument("option 'columns' is empty: it needs the keys to join");
        }
        parts.assign(columns.size(), {});
        tenon::Spec joined = tenon::unbounded(to, {0});
        for (std::size_t i = 0; i < columns.size(); ++i) {
            specs.read(parts[i], columns[i]);
            joined.dtype = parts.front().spec.dtype;
            append(joined, tenon::of_one_agent(parts[i].spec));
            if (parts[i].spec.group != parts.front().spec.group) {
                throw tenon::InvalidArgument("columns '" + columns[0] + "' and '" + columns[i] +
                                             "' are not of the same agents, so they cannot be one vector");
            }
        }
        if (joined.kind == TN_SPEC_UNBOUNDED) {
            joined.low = joined.high = {};
        }
        for (const std::string& key : columns) {
            if (!keep && std::ranges::find(specs.outer(), key, &tenon::Spec::key) != specs.outer().end()) {
                specs.remove(key);
            }
        }
        specs.add(out, tenon::for_each_agent(parts.front().spec, joined));
    }

    void begin(const tenon::TransformRow& row) const { step(row); }
    void step(const tenon::TransformRow& row) const {
        auto to_byte = row.column(out).bytes(row.slot(out), row.lane()).begin();
        tenon::AgentPart one{.agents = tenon::agents_in(out.spec)};
        for (; one.agent < one.agents; ++one.agent) {
            for (const tenon::Port& part : parts) {
                to_byte = std::ranges::copy(one.of(row.column(part).bytes(row.slot(part), row.lane())), to_byte).out;
            }
        }
    }

private:
    static void append(tenon::Spec& joined, const tenon::Spec& part) {
        const bool bounded = part.kind == TN_SPEC_BOUNDED;
        if (part.role != TN_ROLE_OBSERVATION || part.shape.size() > 1 || (!bounded && part.kind != TN_SPEC_UNBOUNDED)) {
            throw tenon::InvalidArgument("column '" + part.key +
                                         "' is not an observation that is a number or a vector");
        }
        if (part.dtype != joined.dtype) {
            throw tenon::InvalidArgument("column '" + part.key + "' has elements of type " +
                                         tenon::dtype_name(part.dtype) + ", and the columns before it " +
                                         tenon::dtype_name(joined.dtype) + ": standard/cast converts them");
        }
        joined.shape[0] += part.elements();
        const auto size = static_cast<std::size_t>(joined.shape[0]);
        constexpr double kNone = std::numeric_limits<double>::infinity();
        const auto add = [&](std::vector<double>& to_bounds, const std::vector<double>& from, double none) {
            while (to_bounds.size() < size) {
                const std::size_t i = to_bounds.size() + static_cast<std::size_t>(part.elements()) - size;
                to_bounds.push_back(!bounded ? none : from.size() > 1 ? from[i] : from.front());
            }
        };
        joined.kind = bounded ? TN_SPEC_BOUNDED : joined.kind;
        add(joined.low, part.low, -kNone);
        add(joined.high, part.high, kNone);
    }
};
