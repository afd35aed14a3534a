// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/serve_metrics.hpp"

#include "support/catch.hpp"

namespace tenon::serve_metrics_test {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("counts are in the text format of Prometheus, and buckets include those below them") {
    ServeMetrics metrics;
    metrics.answered("/act", 200, 0.0002);
    metrics.answered("/act", 200, 3);
    metrics.answered("/act", 400, 0.00001);
    metrics.computed(1, 1e-6, 2);
    metrics.computed(3, 1e-6, 5);
    metrics.computed(500, 1e-6, 5);
    const std::string text = metrics.text();
    CHECK_THAT(text, ContainsSubstring("# TYPE tenon_serve_requests_total counter\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_requests_total{path=\"/act\",status=\"200\"} 2\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_requests_total{path=\"/act\",status=\"400\"} 1\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_clients 5\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_batch_rows_bucket{le=\"1\"} 1\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_batch_rows_bucket{le=\"4\"} 2\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_batch_rows_bucket{le=\"128\"} 2\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_batch_rows_bucket{le=\"+Inf\"} 3\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_batch_rows_sum 504\ntenon_serve_batch_rows_count 3\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_latency_seconds_bucket{le=\"0.00025\"} 2\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_latency_seconds_bucket{le=\"1\"} 2\n"));
    CHECK_THAT(text, ContainsSubstring("tenon_serve_latency_seconds_count 3\n"));
}

}  // namespace tenon::serve_metrics_test
