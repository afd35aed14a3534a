// SPDX-License-Identifier: Apache-2.0
// How an observation differs from the one before it, as a column of its own; 0 where an episode begins. So a network
// without memory sees velocities. (TorchRL's NextObservationDelta stores such differences in place of observations.)
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct ObservationDelta {
    std::string column;
    std::string to;
    tenon::Port in;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::option<&ObservationDelta::column>("column", "observation", "which observation"),
        tenon::option<&ObservationDelta::to>("to", "observation_delta", "the key of the difference"),
    };

    struct Lane {
        std::vector<double> before;
        std::vector<double> now;
        void state(tenon::Archive& archive) { archive(before, now); }
    };

    void wire(tenon::TransformSpecs& specs) {
        specs.read(in, column);
        const tenon::Spec& spec = in.spec;
        if (spec.role != TN_ROLE_OBSERVATION || (spec.kind != TN_SPEC_BOUNDED && spec.kind != TN_SPEC_UNBOUNDED)) {
            throw tenon::InvalidArgument("column '" + column + "' is not an observation of numbers");
        }
        specs.add(out, tenon::unbounded(to, spec.shape, spec.dtype == TN_F64 ? TN_F64 : TN_F32));
    }

    void begin(Lane& lane, const tenon::TransformRow& row) const {
        lane.before.resize(static_cast<std::size_t>(in.spec.elements()));
        read(lane.before, row);
        step(lane, row);
    }

    void step(Lane& lane, const tenon::TransformRow& row) const {
        lane.now.resize(lane.before.size());
        read(lane.now, row);
        const std::size_t agents = tenon::agents_in(in.spec);
        const std::size_t size = lane.now.size() / agents;
        for (std::size_t i = 0; i < lane.now.size(); ++i) {
            const bool goes_on = row.takes_part(in, i / size) && !row.comes(in, i / size);
            lane.before[i] = goes_on ? lane.now[i] - lane.before[i] : 0;
        }
        tenon::write_numbers(row.column(out), row.slot(out), row.lane(), 0, lane.before);
        lane.before.swap(lane.now);
    }

private:
    void read(std::span<double> to_row, const tenon::TransformRow& row) const {
        tenon::read_numbers(row.column(in), row.slot(in), row.lane(), 0, to_row);
    }
};
