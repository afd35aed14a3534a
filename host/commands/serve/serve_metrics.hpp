// SPDX-License-Identifier: Apache-2.0
// Counts of what a served policy has done, in the text format of Prometheus.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tenon {

class ServeMetrics {
public:
    // Counts a request that was answered after this many seconds.
    void answered(std::string_view path, int status, double seconds);
    // Counts a call of the policy for so many rows; clients: the number of those with memory.
    void computed(std::uint32_t rows, double seconds, std::size_t clients);

    // The policy's weights are those after so many frames of training.
    void follows(std::int64_t frames);

    [[nodiscard]] std::string text() const;

    template <std::size_t N>
    struct Histogram {
        std::array<double, N> bounds{};
        std::array<std::uint64_t, N + 1> counts{};  // up to each bound, and beyond
        double sum = 0;

        void add(double value) {
            std::size_t at = 0;
            while (at < N && value > bounds[at]) {
                ++at;
            }
            ++counts[at];
            sum += value;
        }
    };

private:
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, int>, std::uint64_t> requests_;  // by path and status
    std::size_t clients_ = 0;
    std::int64_t frames_ = 0;
    Histogram<8> rows_{.bounds = {1, 2, 4, 8, 16, 32, 64, 128}};
    Histogram<12> calls_{.bounds = {1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 0.1, 1}};
    Histogram<12> latency_{.bounds = {5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 1}};
};

}  // namespace tenon
