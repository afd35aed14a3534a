// SPDX-License-Identifier: Apache-2.0
// Storages as datasets.
#include "experience/dataset/stored_dataset.hpp"

#include <array>

#include "support/catch.hpp"
#include "unit/dataset/two_lanes.hpp"

namespace stored_dataset_test {

using tenon::DType;
using tenon::Storage;

TEST_CASE("frames with other types have the same values, flags and place in the ring") {
    const Storage storage = tenon::test::two_lanes(5, 6);
    std::vector<DType> dtypes;
    for (const tenon::StorageColumn& column : storage.columns()) {
        dtypes.push_back(column.dtype == DType::kF32   ? DType::kF64
                         : column.dtype == DType::kI64 ? DType::kI32
                                                       : column.dtype);
    }
    const tenon::Result<Storage> other = tenon::with_dtypes(storage, dtypes);
    REQUIRE(other);
    CHECK(other->head() == storage.head());
    CHECK(other->view().total == storage.view().total);
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            const auto* const from = static_cast<const float*>(row_at(storage.find("reward")->view, slot, lane));
            const auto* const to = static_cast<const double*>(row_at(other->find("reward")->view, slot, lane));
            CHECK(*to == static_cast<double>(*from));
            CHECK(other->flags().terminated[slot * 2 + lane] == storage.flags().terminated[slot * 2 + lane]);
        }
    }
}

TEST_CASE("a dataset has the observations, actions and rewards, with the specs that are known") {
    const Storage storage = tenon::test::two_lanes(5, 6);
    tenon::Composite known;
    tenon::Spec& action = known.specs.emplace_back();
    action.key = "action";
    action.kind = tenon::SpecKind::kCategorical;
    action.role = tenon::Role::kAction;
    action.dtype = DType::kI64;
    action.categories = {2};
    const tenon::Composite columns = tenon::dataset_columns(storage, known);
    REQUIRE(columns.specs.size() == 3);
    CHECK(columns.find("action")->kind == tenon::SpecKind::kCategorical);
    CHECK(columns.find("observation")->kind == tenon::SpecKind::kUnbounded);
}

}  // namespace stored_dataset_test
