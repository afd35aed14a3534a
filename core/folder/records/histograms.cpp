// SPDX-License-Identifier: Apache-2.0
#include "folder/records/histograms.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace tenon {
namespace {

// The number at the end of "hook/below/-0.5", after `part`; nothing if the name has another form.
std::optional<double> bound_of(std::string_view name, std::string_view prefix, std::string_view part) {
    if (!name.starts_with(prefix) || !name.substr(prefix.size()).starts_with(part)) {
        return std::nullopt;
    }
    const std::string_view text = name.substr(prefix.size() + part.size());
    double out = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    return read.ec == std::errc{} && read.ptr == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

std::optional<HistogramMetrics> histogram_at(std::span<const std::string> names, std::size_t first) {
    const std::string_view name = names[first];
    const std::size_t part = name.rfind("/below/");
    if (part == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view prefix = name.substr(0, part);
    const std::optional<double> low = bound_of(name, prefix, "/below/");
    std::size_t at = first + 1;
    while (at < names.size() && names[at] == std::string(prefix) + "/bin/" + std::to_string(at - first - 1)) {
        ++at;
    }
    const std::optional<double> high = at < names.size() ? bound_of(names[at], prefix, "/above/") : std::nullopt;
    if (!low || !high || !(*low < *high) || at == first + 1) {
        return std::nullopt;
    }
    return HistogramMetrics{
        .name = std::string(prefix), .low = *low, .high = *high, .first = first, .bins = at - first - 1};
}

}  // namespace

std::vector<HistogramMetrics> histograms_in(std::span<const std::string> names) {
    std::vector<HistogramMetrics> out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::optional<HistogramMetrics> found = histogram_at(names, i)) {
            i = found->end() - 1;
            out.push_back(*std::move(found));
        }
    }
    return out;
}

std::vector<bool> in_histograms(std::span<const std::string> names) {
    std::vector<bool> out(names.size());
    for (const HistogramMetrics& each : histograms_in(names)) {
        for (std::size_t i = each.first; i < each.end(); ++i) {
            out[i] = true;
        }
    }
    return out;
}

}  // namespace tenon
