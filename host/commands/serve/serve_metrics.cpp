// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/serve_metrics.hpp"

#include <charconv>

namespace tenon {
namespace {

std::string number(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

void begin(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
    out.append(name).append(" ").append(type).append("\n");
}

template <std::size_t N>
void put(std::string& out, const std::string& name, std::string_view help,
         const ServeMetrics::Histogram<N>& histogram) {
    begin(out, name, help, "histogram");
    std::uint64_t count = 0;
    for (std::size_t i = 0; i <= N; ++i) {
        count += histogram.counts[i];
        const std::string bound = i < N ? number(histogram.bounds[i]) : "+Inf";
        out += name + "_bucket{le=\"" + bound + "\"} " + std::to_string(count) + "\n";
    }
    out += name + "_sum " + number(histogram.sum) + "\n" + name + "_count " + std::to_string(count) + "\n";
}

}  // namespace

void ServeMetrics::answered(std::string_view path, int status, double seconds) {
    const std::scoped_lock lock(mutex_);
    ++requests_[{std::string(path), status}];
    latency_.add(seconds);
}

void ServeMetrics::computed(std::uint32_t rows, double seconds, std::size_t clients) {
    const std::scoped_lock lock(mutex_);
    rows_.add(rows);
    calls_.add(seconds);
    clients_ = clients;
}

void ServeMetrics::follows(std::int64_t frames) {
    const std::scoped_lock lock(mutex_);
    frames_ = frames;
}

std::string ServeMetrics::text() const {
    const std::scoped_lock lock(mutex_);
    std::string out;
    begin(out, "tenon_serve_requests_total", "Requests that have been answered.", "counter");
    for (const auto& [of, count] : requests_) {
        out += "tenon_serve_requests_total{path=\"" + of.first + "\",status=\"" + std::to_string(of.second) + "\"} " +
               std::to_string(count) + "\n";
    }
    begin(out, "tenon_serve_clients", "Clients whose memory is kept.", "gauge");
    out += "tenon_serve_clients " + std::to_string(clients_) + "\n";
    begin(out, "tenon_serve_frames", "Frames of training after which the weights were written.", "gauge");
    out += "tenon_serve_frames " + std::to_string(frames_) + "\n";
    put(out, "tenon_serve_batch_rows", "Observations of one call of the policy.", rows_);
    put(out, "tenon_serve_call_seconds", "Time of one call of the policy.", calls_);
    put(out, "tenon_serve_latency_seconds", "From the arrival of a request to its answer.", latency_);
    return out;
}

}  // namespace tenon
