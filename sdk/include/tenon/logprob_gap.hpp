// SPDX-License-Identifier: Apache-2.0
// By how much the log-probabilities that acting has stored differ from those that an update computes: an option of
// objectives whose ratios compare the two. They are computed when a batch is prepared, before an update changes the
// weights.
#pragma once

#include <source_location>
#include <tuple>

#include "tenon/agents.hpp"
#include "tenon/build.hpp"
#include "tenon/options.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct LogprobGap {
    bool measures_gap = false;

    // The largest difference in the batch, as a metric; for prepare().
    void prepare_gap(const Graph& g, std::source_location at = std::source_location::current()) const {
        if (!measures_gap) {
            return;
        }
        const detail::CalledFrom caller(at);
        const Batch batch = g.batch();
        Value gap = abs(g.network("actor")(batch).log_prob_by_head(batch["action"]) - batch["log_prob"]);
        gap = sizes_of(gap).empty() ? gap : max_over(gap);
        g.metric("logprob_gap", batch_quantile(has_agents(gap) ? max_over(agents(gap)) : gap, 1.0));
    }

    static constexpr auto options = std::tuple{
        option<&LogprobGap::measures_gap>("logprob_gap", false, "",
                                          "whether to record the largest difference between the log-probabilities that "
                                          "acting has stored and those that an update computes")};
};

}  // namespace TENON_SDK
}  // namespace tenon
