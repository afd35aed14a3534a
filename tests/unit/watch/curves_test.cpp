// SPDX-License-Identifier: Apache-2.0
#include "shared/watch/curves.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace tenon::curves_test {

RunCurves curves_of(const test::ScratchFolder& folder, const std::string& records) {
    test::spill(folder / "metrics.jsonl", records);
    HistoryReader history(folder.path());
    REQUIRE(history.read_more());
    return RunCurves(history);
}

TEST_CASE("a short run has a point for each record with a value") {
    const test::ScratchFolder folder;
    const RunCurves curves = curves_of(folder,
                                       "{\"frames\":10,\"a\":1.5,\"never\":null}\n"
                                       "{\"frames\":20,\"a\":null,\"never\":null}\n"
                                       "{\"frames\":30,\"a\":-2,\"never\":null}\n");
    const CurvePoints points = curves.points("a", CurveAxis::kFrames, 100);
    CHECK(points.x == std::vector<double>{10, 30});
    CHECK(points.y[0].mean == 1.5F);
    CHECK(points.y[1].low == -2);
    CHECK(curves.latest().size() == 2);
    CHECK(curves.find("never") == nullptr);
    CHECK(curves.find("a")->value == -2);
    CHECK(curves.points("b", CurveAxis::kFrames, 100).x.empty());
    CHECK(curves.points("a", CurveAxis::kUpdates, 100).x.empty());
}

TEST_CASE("a long run takes no more points, and a spike stays visible at any number of them") {
    const test::ScratchFolder folder;
    std::string records;
    for (int i = 1; i <= 50'000; ++i) {
        records += "{\"frames\":" + std::to_string(i) + ",\"a\":" + (i == 31'415 ? "1000" : "1") + "}\n";
    }
    const RunCurves curves = curves_of(folder, records);
    CHECK(curves.records() == 50'000);
    CHECK(curves.per_bucket() == 64);
    for (const std::size_t most : {1, 7, 100, 1024}) {
        const CurvePoints points = curves.points("a", CurveAxis::kFrames, most);
        CHECK(points.x.size() <= most);
        CHECK(points.x.back() == 50'000);
        float high = 0;
        double mean = 0;
        for (const CurveBucket& each : points.y) {
            high = std::max(high, each.high);
            mean += each.mean / static_cast<double>(points.y.size());
            CHECK(each.low == 1);
        }
        CHECK(high == 1000);
        CHECK_THAT(mean, Catch::Matchers::WithinRel(1 + 999 / 50'000.0, 0.01));
    }
}

}  // namespace tenon::curves_test
