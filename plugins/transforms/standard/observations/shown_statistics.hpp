// SPDX-License-Identifier: Apache-2.0
// The statistics that normalised each row, as columns KEY_mean and KEY_std.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "observations/normalisation.hpp"
#include "tenon/transform.hpp"

struct ShownStatistics {
    std::vector<tenon::Port> ports;

    void wire(tenon::TransformSpecs& specs, std::span<const std::string> keys) {
        ports.assign(2 * keys.size(), {});
        for (std::size_t i = 0; i < ports.size(); ++i) {
            const tenon::Spec& spec = specs.find(keys[i / 2]);
            specs.add(ports[i], tenon::unbounded(spec.key + (i % 2 == 0 ? "_mean" : "_std"), spec.shape,
                                                 spec.dtype == TN_F64 ? TN_F64 : TN_F32));
        }
    }

    void show(const tenon::TransformRow& row, std::span<const Normalisation> of) const {
        for (std::size_t i = 0; i < ports.size(); ++i) {
            const std::vector<double>& shown = i % 2 == 0 ? of[i / 2].mean : of[i / 2].std;
            for (std::size_t agent = 0; agent < tenon::agents_in(ports[i].spec); ++agent) {
                tenon::write_numbers(row.column(ports[i]), row.slot(ports[i]), row.lane(), agent * shown.size(), shown);
            }
        }
    }
};
