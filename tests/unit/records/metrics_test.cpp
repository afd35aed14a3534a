// SPDX-License-Identifier: Apache-2.0
// The metric files: their text, what a killed run leaves of them, a full disk, and no allocation per record.
#include "folder/records/metrics.hpp"

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <string>
#include <vector>

#include "base/json/read.hpp"
#include "folder/records/metric_names.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace metrics_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using tenon::Metrics;
using tenon::test::ScratchFolder;
using tenon::test::slurp;
using tenon::test::spill;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<std::string> kNames{std::string(tenon::metric::kFramesPerSecond), "frames",
                                      std::string(tenon::metric::kEpisodeReturnMean), "train/loss"};

Metrics open_in(const ScratchFolder& folder) {
    auto metrics = Metrics::open(folder.path(), kNames);
    REQUIRE(metrics.has_value());
    return std::move(*metrics);
}

void record(Metrics& metrics, double fps, double frames, double mean, double loss) {
    REQUIRE(metrics.record(std::vector<double>{fps, frames, mean, loss}).has_value());
}

}  // namespace

TEST_CASE("a record is a line in both files, with keys under time/ last") {
    const ScratchFolder scratch;
    Metrics metrics = open_in(scratch);
    record(metrics, 1234.5, 100000, 187.25, kNan);
    record(metrics, 0.1, 200000, -std::numeric_limits<double>::infinity(), 1e-7);
    CHECK(slurp(scratch / "metrics.jsonl") ==
          "{\"frames\":100000,\"rollout/ep_rew_mean\":187.25,\"train/loss\":null,\"time/fps\":1234.5}\n"
          "{\"frames\":200000,\"rollout/ep_rew_mean\":null,\"train/loss\":1e-07,\"time/fps\":0.1}\n");
    CHECK(slurp(scratch / "metrics.csv") ==
          "frames,rollout/ep_rew_mean,train/loss,time/fps\n"
          "100000,187.25,,1234.5\n"
          "200000,-inf,1e-07,0.1\n");
}

TEST_CASE("every double comes back from the JSON with the same bits") {
    const ScratchFolder scratch;
    auto metrics = Metrics::open(scratch.path(), {"x"});
    REQUIRE(metrics.has_value());
    const std::vector<double> values{
        0.1,   -1.0 / 3, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 123456789.0, 9007199254740993.0,
        -42.0, 1e22};
    for (const double value : values) {
        REQUIRE(metrics->record(std::vector<double>{value}).has_value());
    }
    const std::string text = slurp(scratch / "metrics.jsonl");
    std::size_t at = 0;
    for (const double value : values) {
        const std::size_t end = text.find('\n', at);
        const auto json = tenon::parse_json(std::string_view(text).substr(at, end - at), "a line");
        REQUIRE(json.has_value());
        const tenon::Json* x = json->find("x");
        REQUIRE(x != nullptr);
        const auto* whole = x->get<std::int64_t>();
        CHECK((whole != nullptr ? static_cast<double>(*whole) : *x->get<double>()) == value);
        at = end + 1;
    }
    CHECK(at == text.size());
}

TEST_CASE("a run that goes on appends to existing records") {
    const ScratchFolder scratch;
    {
        Metrics metrics = open_in(scratch);
        record(metrics, 1, 2, 3, 4);
    }
    Metrics metrics = open_in(scratch);
    CHECK(metrics.records() == 1);
    record(metrics, 5, 6, 7, 8);
    CHECK(slurp(scratch / "metrics.csv") == "frames,rollout/ep_rew_mean,train/loss,time/fps\n2,3,4,1\n6,7,8,5\n");
    CHECK(metrics.sync().has_value());
}

TEST_CASE("files are cut to the records of a checkpoint, byte for byte") {
    const ScratchFolder scratch;
    Metrics metrics = open_in(scratch);
    record(metrics, 1, 2, 3, 4);
    const std::uint64_t records = metrics.records();
    const std::string jsonl = slurp(scratch / "metrics.jsonl");
    const std::string csv = slurp(scratch / "metrics.csv");
    record(metrics, 5, 6, 7, 8);
    REQUIRE(metrics.keep_records(records).has_value());
    CHECK(slurp(scratch / "metrics.jsonl") == jsonl);
    CHECK(slurp(scratch / "metrics.csv") == csv);
    record(metrics, 9, 9, 9, 9);
    CHECK(slurp(scratch / "metrics.csv") == csv + "9,9,9,9\n");
    REQUIRE(metrics.keep_records(0).has_value());
    CHECK(slurp(scratch / "metrics.jsonl").empty());
    CHECK(slurp(scratch / "metrics.csv") == "frames,rollout/ep_rew_mean,train/loss,time/fps\n");
}

TEST_CASE("half a line of a killed run is cut, however long") {
    const ScratchFolder scratch;
    {
        Metrics metrics = open_in(scratch);
        record(metrics, 1, 2, 3, 4);
    }
    const std::string jsonl = slurp(scratch / "metrics.jsonl");
    spill(scratch / "metrics.jsonl", jsonl + "{\"frames\":" + std::string(10000, '1'));
    spill(scratch / "metrics.csv", "frames,roll");
    Metrics metrics = open_in(scratch);
    CHECK(slurp(scratch / "metrics.jsonl") == jsonl);
    CHECK(slurp(scratch / "metrics.csv") == "frames,rollout/ep_rew_mean,train/loss,time/fps\n");
}

TEST_CASE("files that do not fit the checkpoint or the run are refused") {
    const ScratchFolder scratch;
    Metrics metrics = open_in(scratch);
    record(metrics, 1, 2, 3, 4);
    const std::string jsonl = slurp(scratch / "metrics.jsonl");
    CHECK_THAT(metrics.keep_records(2).error().sentence,
               ContainsSubstring("metrics.jsonl") &&
                   ContainsSubstring("has 1 records, but the checkpoint was written when it had 2"));
    spill(scratch / "metrics.csv", "frames,rollout/ep_rew_mean,train/loss,time/fps\n");
    Metrics shorter = open_in(scratch);
    CHECK_THAT(shorter.keep_records(1).error().sentence,
               ContainsSubstring("metrics.csv") && ContainsSubstring("has 0 records"));
    CHECK(slurp(scratch / "metrics.jsonl") == jsonl);  // neither was cut

    const auto other = Metrics::open(scratch.path(), {"frames", "train/entropy"});
    REQUIRE_FALSE(other.has_value());
    CHECK_THAT(other.error().sentence,
               ContainsSubstring("has other columns") && ContainsSubstring("frames,train/entropy"));
}

TEST_CASE("a file that cannot grow is told by name and keeps whole records only") {
    const ScratchFolder scratch;
    Metrics metrics = open_in(scratch);
    record(metrics, 1, 2, 3, 4);
    const std::string jsonl = slurp(scratch / "metrics.jsonl");
    const std::string csv = slurp(scratch / "metrics.csv");

    // A limit in the middle of the next record stands for a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    rlimit low = old;
    low.rlim_cur = jsonl.size() + 10;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &low) == 0);
    const tenon::Status status = metrics.record(std::vector<double>{5, 6, 7, 8});
    REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
    std::signal(SIGXFSZ, SIG_DFL);

    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().fault == tenon::Fault::kEnvironment);
    CHECK_THAT(status.error().sentence, ContainsSubstring((scratch / "metrics.jsonl").string()));
    CHECK(slurp(scratch / "metrics.jsonl") == jsonl);
    CHECK(slurp(scratch / "metrics.csv") == csv);
    record(metrics, 5, 6, 7, 8);  // room again
    CHECK(slurp(scratch / "metrics.csv") == csv + "6,7,8,5\n");
}

TEST_CASE("a folder that cannot be written is told") {
    const ScratchFolder scratch;
    const auto metrics = Metrics::open(scratch / "none", kNames);
    REQUIRE_FALSE(metrics.has_value());
    CHECK(metrics.error().fault == tenon::Fault::kEnvironment);
    CHECK_THAT(metrics.error().sentence, ContainsSubstring("metrics.jsonl"));
}

}  // namespace metrics_test
