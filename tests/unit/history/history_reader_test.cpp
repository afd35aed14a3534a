// SPDX-License-Identifier: Apache-2.0
// Records read back: what Metrics writes, files that grow, are cut or damaged, and how long many large ones take.
#include "shared/history/history_reader.hpp"

#include <cmath>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "folder/records/metrics.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace history_reader_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using tenon::HistoryReader;
using tenon::Metrics;
using tenon::test::ScratchFolder;
using tenon::test::slurp;
using tenon::test::spill;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> values(const HistoryReader& history, const char* name) {
    const auto column = history.column(name);
    return {column.begin(), column.end()};
}

std::size_t read(HistoryReader& history, bool restarted = false) {
    const auto growth = history.read_more();
    REQUIRE(growth.has_value());
    CHECK(growth->restarted == restarted);
    return growth->records;
}

}  // namespace

TEST_CASE("what a run has recorded comes back with the same bits") {
    const ScratchFolder scratch;
    auto metrics = Metrics::open(scratch.path(), {"frames", "time/fps", "train/loss"});
    REQUIRE(metrics.has_value());
    HistoryReader history(scratch.path());
    CHECK(read(history) == 0);
    const std::vector<double> losses{0.1, -1.0 / 3, 5e-324, 1.7976931348623157e308, 1e22};
    for (std::size_t i = 0; i < losses.size(); ++i) {
        REQUIRE(metrics->record(std::vector<double>{1000.0 * static_cast<double>(i), kNan, losses[i]}).has_value());
    }
    CHECK(read(history) == losses.size());
    CHECK(history.names() == std::vector<std::string>{"frames", "train/loss", "time/fps"});
    CHECK(values(history, "frames") == std::vector<double>{0, 1000, 2000, 3000, 4000});
    CHECK(values(history, "train/loss") == losses);
    CHECK(std::isnan(history.column("time/fps")[4]));
    CHECK(history.column("no such").empty());
    CHECK(read(history) == 0);
}

TEST_CASE("half a line waits until it is whole") {
    const ScratchFolder scratch;
    HistoryReader history(scratch.path());
    CHECK(read(history) == 0);  // no file yet
    spill(scratch / "metrics.jsonl", "{\"frames\":1}\n{\"fra");
    CHECK(read(history) == 1);
    spill(scratch / "metrics.jsonl", "{\"frames\":1}\n{\"frames\":2}\n{\"frames\":3}");
    CHECK(read(history) == 1);
    spill(scratch / "metrics.jsonl", "{\"frames\":1}\n{\"frames\":2}\n{\"frames\":3}\n");
    CHECK(read(history) == 1);
    CHECK(values(history, "frames") == std::vector<double>{1, 2, 3});
}

TEST_CASE("a file that was cut is read again, even if it has grown meanwhile") {
    const ScratchFolder scratch;
    HistoryReader history(scratch.path());
    spill(scratch / "metrics.jsonl", "{\"frames\":1,\"s\":7}\n{\"frames\":2,\"s\":8}\n");
    CHECK(read(history) == 2);
    spill(scratch / "metrics.jsonl", "{\"frames\":1,\"s\":7}\n");
    CHECK(read(history, true) == 1);
    spill(scratch / "metrics.jsonl", "{\"frames\":1,\"s\":7}\n{\"frames\":2,\"s\":8}\n");
    CHECK(read(history) == 1);
    spill(scratch / "metrics.jsonl", "{\"frames\":1,\"s\":7}\n{\"frames\":2,\"s\":9}\n{\"frames\":3,\"s\":9}\n");
    CHECK(read(history, true) == 3);
    CHECK(values(history, "s") == std::vector<double>{7, 9, 9});
    std::filesystem::remove(scratch / "metrics.jsonl");
    CHECK(read(history, true) == 0);
    CHECK(history.records() == 0);
}

TEST_CASE("records with other names have their own columns, and NaN in the others") {
    const ScratchFolder scratch;
    spill(scratch / "metrics.jsonl", "{\"a\":1,\"b\":2}\n{\"b\":3,\"c\":4}\n{}\n{\"a\":5,\"b\":6}\n");
    HistoryReader history(scratch.path());
    CHECK(read(history) == 4);
    CHECK(history.names() == std::vector<std::string>{"a", "b", "c"});
    CHECK(history.column("a")[0] == 1);
    CHECK(std::isnan(history.column("a")[1]));
    CHECK(history.column("a")[3] == 5);
    CHECK(history.column("b")[1] == 3);
    CHECK(std::isnan(history.column("b")[2]));
    CHECK(history.column("c").size() == 4);
    CHECK(history.column("c")[1] == 4);
}

TEST_CASE("only the columns that are asked for are kept") {
    const ScratchFolder scratch;
    spill(scratch / "metrics.jsonl", "{\"a\":1,\"b\":null,\"c\":3}\n{\"a\":4,\"b\":5,\"c\":6}\n");
    HistoryReader history(scratch.path(), {"c", "not there"});
    CHECK(read(history) == 2);
    CHECK(history.names().size() == 3);
    CHECK(values(history, "c") == std::vector<double>{3, 6});
    CHECK(history.column("a").empty());
}

TEST_CASE("a line that is no record is reported with its number, and the records before it stay") {
    const ScratchFolder scratch;
    for (const std::string bad :
         {"{\"frames\":", "", "[1]", "{\"a\":\"text\"}", "{\"a\":{\"b\":1}}", "{\"a\":1} ", "{\"a\":1,}",
          "{\"a\":1,\"b\":}", "{\"a\":nul}", "{\"a\\\"\":1}", "{,}", "{\"a\"1}", "{\"a\":1}}", "{\"a\":1e}"}) {
        CAPTURE(bad);
        spill(scratch / "metrics.jsonl", "{\"frames\":1}\n" + bad + "\n{\"frames\":2}\n");
        HistoryReader history(scratch.path());
        for (int i = 0; i < 2; ++i) {
            const auto growth = history.read_more();
            REQUIRE_FALSE(growth.has_value());
            CHECK_THAT(growth.error().sentence, ContainsSubstring("record 2 of"));
            CHECK(values(history, "frames") == std::vector<double>{1});
        }
    }
}

TEST_CASE("a metrics file that is a folder or endless is refused") {
    const ScratchFolder scratch;
    std::filesystem::create_directory(scratch / "metrics.jsonl");
    CHECK_THAT(HistoryReader(scratch.path()).read_more().error().sentence, ContainsSubstring("is a folder"));
    std::filesystem::remove(scratch / "metrics.jsonl");
    spill(scratch / "metrics.jsonl", std::string(std::size_t{5} << 20U, 'x'));
    CHECK_THAT(HistoryReader(scratch.path()).read_more().error().sentence, ContainsSubstring("too long"));
}

// The file is larger than what the reader holds at once, so lines cross the ends of blocks. 100 of these are to open in
// two seconds: a hundredth of that, and ten times more for a busy machine.
TEST_CASE("ten thousand records of twenty numbers are read in a fraction of a second") {
    const ScratchFolder scratch;
    std::string text;
    for (int record = 0; record < 10'000; ++record) {
        text += "{\"frames\":" + std::to_string(record);
        for (int i = 0; i < 19; ++i) {
            text +=
                ",\"train/metric_" + std::to_string(i) + "\":" + std::to_string(record * 0.123456789 + i) + "58671234";
        }
        text += "}\n";
    }
    spill(scratch / "metrics.jsonl", text);
    HistoryReader history(scratch.path());
    const std::clock_t start = std::clock();
    CHECK(read(history) == 10'000);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;  // of the processor
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(seconds < 0.2);
#else
    CHECK(seconds < 60);
#endif
    CHECK(history.column("frames").back() == 9'999);
    CHECK(history.column("train/metric_18").back() == Catch::Approx(9'999 * 0.123456789 + 18));
}

}  // namespace history_reader_test
