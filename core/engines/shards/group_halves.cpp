// SPDX-License-Identifier: Apache-2.0
// Large sums of gradients by halving. Pairs at distance 1, 2, 4 and so on each send the half of their numbers that the
// other one keeps, so that after the last distance each process has the sum of one part; then the parts are gathered in
// the opposite order. A number is added in the order in which whole exchanges add it, so the bits are the same, and S
// processes send 2 (S - 1) / S times their gradients, not log2 S times.
#include <algorithm>
#include <bit>

#include "engines/shards/gradient_parts.hpp"
#include "engines/shards/group.hpp"

namespace tenon {
namespace {

constexpr std::size_t kLeastHalved = std::size_t{256} << 10U;  // smaller ones take longer by twice as many messages
constexpr std::size_t kCutAt = 64;                             // halves begin at whole numbers of each type

// The half that a process keeps, and the one that it sends.
struct GradientHalves {
    GradientRange kept;
    GradientRange sent;
};

GradientHalves halves_of(GradientRange range, bool keeps_lower) {
    const std::size_t middle = range.begin + (range.end - range.begin) / 2 / kCutAt * kCutAt;
    const GradientRange lower{range.begin, middle};
    const GradientRange upper{middle, range.end};
    return keeps_lower ? GradientHalves{lower, upper} : GradientHalves{upper, lower};
}

}  // namespace

bool sums_by_halves(std::size_t processes, std::size_t bytes) {
    return std::bit_floor(processes) >= 4 && bytes >= kLeastHalved;
}

double sent_by_each(std::size_t processes, std::size_t bytes) {
    const auto paired = static_cast<double>(std::bit_floor(processes));
    const auto whole = static_cast<double>(std::bit_width(processes) - 1);
    return (sums_by_halves(processes, bytes) ? 2 * (paired - 1) / paired : whole) +
           (std::has_single_bit(processes) ? 0 : 2);
}

Status Group::send_ahead(std::size_t to, std::span<const std::span<std::byte>> parts) {
    for (std::size_t i = 0; i < std::min(kPartsAhead, parts.size()); ++i) {
        TENON_TRY(send_part(to, parts[i]));
    }
    return {};
}

Status Group::take_and_send(std::size_t other, std::span<const std::span<std::byte>> takes,
                            std::span<const std::span<std::byte>> sends, DType real, bool replaces) {
    for (std::size_t i = 0; i < std::max(takes.size(), sends.size()); ++i) {
        TENON_TRY(i < takes.size() ? take_part(other, takes[i].data(), takes[i].size(), real, replaces) : Status());
        TENON_TRY(i + kPartsAhead < sends.size() ? send_part(other, sends[i + kPartsAhead]) : Status());
    }
    return {};
}

Status Group::sum_by_halves(ExchangeHead& head, std::span<Network* const> networks, std::size_t bytes, DType real) {
    const std::size_t paired = std::bit_floor(place_.count);
    const std::size_t me = place_.rank;
    std::vector<GradientRange> ranges = {{0, bytes}};
    for (std::size_t distance = 1; distance < paired; distance *= 2) {
        const std::size_t other = me ^ distance;
        const GradientHalves halves = halves_of(ranges.back(), (me & distance) == 0);
        const std::int64_t own = head.gathered;
        const GradientParts sends = own > 0 ? parts_in(networks, halves.sent) : GradientParts();
        TENON_TRY(send_gradients(other, head, {}, 0));
        TENON_TRY(send_ahead(other, sends));
        TENON_TRY(take_gradients(other, head, {}, real, false, 0));
        const GradientParts takes = head.gathered > own ? parts_in(networks, halves.kept) : GradientParts();
        TENON_TRY(take_and_send(other, takes, sends, real, own == 0));
        ranges.push_back(halves.kept);
    }
    for (std::size_t distance = paired / 2; distance > 0 && head.gathered > 0; distance /= 2) {
        const std::size_t other = me ^ distance;
        const GradientParts sends = parts_in(networks, ranges.back());
        ranges.pop_back();
        TENON_TRY(send_ahead(other, sends));
        const GradientParts takes = parts_in(networks, halves_of(ranges.back(), (me & distance) == 0).sent);
        TENON_TRY(take_and_send(other, takes, sends, real, true));
    }
    return {};
}

}  // namespace tenon
