// SPDX-License-Identifier: Apache-2.0
// An observation of one's own: numbers that are set or drawn when an episode begins, and stay the same until its end. A
// skill or a task for each episode, for example. The same as TorchRL's TensorDictPrimer, except that a policy cannot
// overwrite the column: what a policy carries from step to step is its own memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct Primer {
    std::string column;
    std::vector<std::int64_t> shape;
    std::string draw;
    double value;
    double low;
    double high;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::required<&Primer::column>("column", "", "the key of the observation"),
        tenon::option<&Primer::shape>("shape", {}, "[1,1e6]", "its shape; none: one number"),
        tenon::option<&Primer::draw>("draw", "constant", "constant|uniform|normal",
                                     "all elements are `value`, or each is drawn: between `low` and `high`, or normal"),
        tenon::option<&Primer::value>("value", 0.0, "(-inf,inf)", "the constant"),
        tenon::option<&Primer::low>("low", 0.0, "(-inf,inf)", "lowest number of uniform draws"),
        tenon::option<&Primer::high>("high", 1.0, "(-inf,inf)", "highest number of uniform draws"),
    };

    struct Lane {
        std::vector<float> numbers;
        void state(tenon::Archive& archive) { archive(numbers); }
    };

    void setup() const {
        if (low >= high) {
            throw tenon::InvalidArgument("option 'low' must be below option 'high'");
        }
    }

    void wire(tenon::TransformSpecs& specs) {
        specs.add(out, draw == "uniform"
                           ? tenon::bounded(column, shape, static_cast<float>(low), static_cast<float>(high))
                           : tenon::unbounded(column, shape));
    }

    void begin(Lane& lane, const tenon::TransformRow& row, tenon::Rng& rng) const {
        lane.numbers.resize(static_cast<std::size_t>(out.spec.elements()));
        std::ranges::generate(lane.numbers, [&] {
            return static_cast<float>(draw == "uniform"  ? rng.uniform(low, high)
                                      : draw == "normal" ? rng.normal()
                                                         : value);
        });
        std::ranges::copy(lane.numbers, row.row<float>(out).begin());
    }

    void step(Lane& lane, const tenon::TransformRow& row) const {
        std::ranges::copy(lane.numbers, row.row<float>(out).begin());
    }
};
