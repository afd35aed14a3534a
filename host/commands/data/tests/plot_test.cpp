// SPDX-License-Identifier: Apache-2.0
// The picture of returns and lengths.
#include "commands/data/subcommands.hpp"

#include "support/catch.hpp"

namespace plot_test {

std::size_t times(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++count;
    }
    return count;
}

TEST_CASE("each whole episode is a point in both panels") {
    tenon::EpisodeSummary episodes;
    for (const double value : {1.0, 5.0, 3.0}) {
        episodes.returns.push_back(value);
        episodes.of_returns.add(value);
        episodes.lengths.push_back(10);
        episodes.of_lengths.add(10);
    }
    const std::string svg = tenon::plot_episodes(episodes, "a <b> & c");
    CHECK(svg.starts_with("<svg "));
    CHECK(times(svg, "<circle ") == 6);
    CHECK(svg.find("a &lt;b&gt; &amp; c") != std::string::npos);
    CHECK(svg.find("mean 3<") != std::string::npos);
    CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("without whole episodes it says so") {
    CHECK(times(tenon::plot_episodes({}, "none"), "no whole episodes") == 2);
}

}  // namespace plot_test
