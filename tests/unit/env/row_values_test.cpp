// SPDX-License-Identifier: Apache-2.0
#include "experience/env/row_values.hpp"

#include <cmath>
#include <limits>
#include <memory>

#include "experience/env/action_check.hpp"
#include "experience/env/spec_watch.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_specs.hpp"

namespace row_values_test {

namespace {

using namespace tenon;

Spec floats(const char* key, Role role, DType dtype, std::int64_t n, double low, double high) {
    Spec out = test::spec(key, role, dtype, {n});
    out.kind = SpecKind::kBounded;
    out.low = {low};
    out.high = {high};
    return out;
}

struct Rows {
    Rows() {
        specs.specs = {floats("observation", Role::kObservation, DType::kF32, 3, -1.0, 1.0),
                       floats("wide", Role::kObservation, DType::kF64, 1, -1e300, 1e300),
                       test::choice("action", Role::kAction, 3),
                       floats("torque", Role::kAction, DType::kF32, 2, -1.0, 1.0),
                       test::spec("reward", Role::kReward, DType::kF32, {})};
        storage = std::make_unique<Storage>(*Storage::make(storage_columns(specs), 4, 70));
    }
    template <class T>
    T* row(const char* key, std::uint32_t slot, std::uint32_t lane) const {
        return static_cast<T*>(row_at(storage->find(key)->view, slot, lane));
    }
    Composite specs;
    std::unique_ptr<Storage> storage;
};

}  // namespace

TEST_CASE("whatever is not finite is found, wherever it stands") {
    const Rows rows;
    const View& floats = rows.storage->find("observation")->view;
    const View& doubles = rows.storage->find("wide")->view;
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
        for (const std::uint32_t lane : {0U, 1U, 33U, 69U}) {
            for (std::size_t element = 0; element < 3; ++element) {
                rows.row<float>("observation", 2, lane)[element] = value;
                CHECK_FALSE(is_finite(floats, 2, 0, 70));
                CHECK_FALSE(is_finite(floats, 2, lane, 1));
                CHECK(is_finite(floats, 2, 0, lane));
                CHECK(is_finite(floats, 1, 0, 70));
                CHECK(not_finite(floats, 2, lane) == std::string(std::isnan(value) ? "nan"
                                                                 : value > 0       ? "inf"
                                                                                   : "-inf") +
                                                         " at element " + std::to_string(element));
                rows.row<float>("observation", 2, lane)[element] = std::numeric_limits<float>::max();
            }
        }
        rows.row<double>("wide", 3, 5)[0] = static_cast<double>(value);
        CHECK_FALSE(is_finite(doubles, 3, 0, 70));
        CHECK(not_finite(doubles, 3, 5) == (std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"));
        rows.row<double>("wide", 3, 5)[0] = std::numeric_limits<double>::denorm_min();
    }
    CHECK(is_finite(floats, 2, 0, 70));
    CHECK(is_finite(doubles, 3, 0, 70));
    CHECK(not_finite(floats, 2, 0).empty());
    CHECK(is_finite(rows.storage->find("action")->view, 0, 0, 70));
}

TEST_CASE("an action that an env cannot take is named with its lane, that of a parked lane does not matter") {
    const Rows rows;
    const ActionCheck check(rows.specs, *rows.storage);
    CHECK(check.fault(*rows.storage).empty());
    *rows.row<std::int64_t>("action", 0, 4) = 3;
    CHECK_THAT(
        check.fault(*rows.storage),
        Catch::Matchers::StartsWith("it gives lane 4 the action 3, but the env takes action: int64, 3 categories"));
    rows.storage->park(4);
    CHECK(check.fault(*rows.storage).empty());
    rows.row<float>("torque", 0, 9)[0] = 17;  // envs clip
    CHECK(check.fault(*rows.storage).empty());
    rows.row<float>("torque", 0, 9)[1] = -std::numeric_limits<float>::quiet_NaN();
    CHECK(check.fault(*rows.storage) ==
          "it gives lane 9 the action [17, nan], but the env takes torque: float32 [2] in [-1, 1]");
}

TEST_CASE("an observation out of its spec is found once a column") {
    const Rows rows;
    SpecWatch watch(rows.specs, *rows.storage);
    CHECK(watch.look(*rows.storage).empty());
    rows.row<float>("observation", 0, 7)[2] = 1.5;
    *rows.row<double>("wide", 0, 7) = 1e301;
    CHECK(watch.look(*rows.storage) ==
          "it observes [0, 0, 1.5] in lane 7, but its spec is observation: float32 [3] in [-1, 1]; this is reported "
          "once");
    CHECK(watch.look(*rows.storage).starts_with("it observes 1e+301 in lane 7"));
    CHECK(watch.look(*rows.storage).empty());
}

TEST_CASE("the first look is at all rows before the head, and at final observations") {
    const Rows rows;
    SpecWatch watch(rows.specs, *rows.storage);
    rows.row<float>("observation", 1, 3)[0] = -2;
    const StorageColumn& wide = *rows.storage->find("wide");
    *static_cast<double*>(row_at(wide.final, 0, 9)) = 2e300;
    *static_cast<double*>(row_at(wide.final, 1, 8)) = 2e300;  // not the end of an episode
    rows.storage->find("truncated")->view.as<std::uint8_t>()[9] = 1;
    rows.storage->advance();
    rows.storage->advance();
    CHECK(watch.look(*rows.storage).starts_with("it observes [-2, 0, 0] in lane 3, but"));
    CHECK(watch.look(*rows.storage).starts_with("it observes 2e+300 in lane 9"));
    CHECK(watch.look(*rows.storage).empty());
}

}  // namespace row_values_test
