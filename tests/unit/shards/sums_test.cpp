// SPDX-License-Identifier: Apache-2.0
// The sums of gradients over shards against plain loops in the same order.
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "memory_link.hpp"
#include "support/catch.hpp"

namespace sums_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kNumbers = 140'000;  // more than two parts of a message

// Numbers of many sizes, among them denormals and, if wanted, infinities.
template <class Real>
std::vector<Real> numbers_of(std::size_t rank, std::size_t size, bool infinities) {
    std::mt19937_64 draw(rank + 1);
    std::vector<Real> out(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double sign = draw() % 2 == 0 ? 1 : -1;
        const double mantissa = static_cast<double>(draw() % 1'000'000) / 1e6;
        out[i] = static_cast<Real>(sign * mantissa * std::pow(10.0, static_cast<double>(draw() % 12) - 6));
        if (i % 7 == 0) {
            out[i] = std::numeric_limits<Real>::denorm_min() * static_cast<Real>(draw() % 1000);
        }
        if (infinities && i % 101 == rank) {
            out[i] = std::numeric_limits<Real>::infinity();
        }
    }
    return out;
}

// Sums by pairs at distance 1, 2, 4 and so on, after those beyond the largest power of two were added to a partner.
template <class Real>
std::vector<Real> plain_sum(std::vector<std::vector<Real>> all) {
    const std::size_t paired = std::bit_floor(all.size());
    const auto add = [](std::vector<Real>& to, const std::vector<Real>& from) {
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] += from[i];
        }
    };
    for (std::size_t beyond = paired; beyond < all.size(); ++beyond) {
        add(all[beyond - paired], all[beyond]);
    }
    for (std::size_t distance = 1; distance < paired; distance *= 2) {
        for (std::size_t rank = 0; rank < paired; rank += 2 * distance) {
            add(all[rank], all[rank + distance]);
        }
    }
    return all.front();
}

Network network_with(const void* values, std::size_t bytes) {
    Network out;
    out.gradient = *Slab::make(bytes);
    std::memcpy(out.gradient.as<std::byte>(), values, bytes);
    return out;
}

template <class Real>
void check_sums(std::size_t count, bool infinities) {
    std::vector<std::vector<Real>> big;
    std::vector<std::vector<Real>> small;
    for (std::size_t rank = 0; rank < count; ++rank) {
        big.push_back(numbers_of<Real>(rank, kNumbers, infinities));
        small.push_back(numbers_of<Real>(rank + 50, 16, infinities));
    }
    const std::vector<Real> wanted = plain_sum(big);
    const std::vector<Real> wanted_small = plain_sum(small);
    std::vector<std::vector<double>> numbers_of_each;
    for (std::size_t rank = 0; rank < count; ++rank) {
        numbers_of_each.push_back({0.1 * static_cast<double>(rank + 1), rank == count - 1 ? 2.5 : 0.0});
    }
    const std::vector<double> wanted_numbers = plain_sum(numbers_of_each);
    std::vector<int> right(count);
    in_whole_group(count, [&](Group& group) {
        const std::size_t rank = group.rank();
        Network first = network_with(big[rank].data(), kNumbers * sizeof(Real));
        Network second = network_with(small[rank].data(), 16 * sizeof(Real));
        const std::vector<Network*> networks = {&first, &second};
        std::vector<double> numbers = numbers_of_each[rank];
        ExchangeHead head{.gathered = static_cast<std::int64_t>(rank) + 1, .numbers = numbers};
        const Status done = group.sum(head, networks, sizeof(Real) == 8 ? DType::kF64 : DType::kF32);
        right[rank] = done && head.gathered == static_cast<std::int64_t>(count * (count + 1) / 2) &&
                              numbers == wanted_numbers &&
                              std::memcmp(first.gradient.as<Real>(), wanted.data(), kNumbers * sizeof(Real)) == 0 &&
                              std::memcmp(second.gradient.as<Real>(), wanted_small.data(), 16 * sizeof(Real)) == 0
                          ? 1
                          : 0;
    });
    CHECK(right == std::vector<int>(count, 1));
}

}  // namespace

TEST_CASE("gradients of 2 to 9 shards have the sums of a plain loop, to the bit, in every shard") {
    for (std::size_t count = 2; count <= 9; ++count) {
        CAPTURE(count);
        check_sums<float>(count, false);
        check_sums<double>(count, false);
        check_sums<float>(count, true);
    }
}

TEST_CASE("large gradients of four shards and more are sent by halves") {
    constexpr std::size_t kLarge = std::size_t{1} << 20U;
    CHECK(!sums_by_halves(3, kLarge));
    CHECK(!sums_by_halves(4, 1000));
    CHECK(sums_by_halves(5, kLarge));
    CHECK(sent_by_each(2, kLarge) == 1);
    CHECK(sent_by_each(16, kLarge) == 1.875);
    CHECK(sent_by_each(16, 1000) == 4);
    CHECK(sent_by_each(5, kLarge) == 3.5);  // the fifth sends to another one, and hears from it
}

TEST_CASE("large gradients of shards whose minibatches were left out are the sum of the others") {
    constexpr std::size_t kLarge = 70'000;
    for (const std::size_t count : {4U, 6U}) {
        for (std::size_t without = 0; without < count; ++without) {
            CAPTURE(count, without);
            const std::vector<float> stale(kLarge, 1e9F);  // it is not read
            const std::vector<float> wanted(kLarge, static_cast<float>(count - 1));
            const std::vector<float> one(kLarge, 1);
            std::vector<int> right(count);
            in_whole_group(count, [&](Group& group) {
                const std::size_t rank = group.rank();
                Network network = network_with((rank == without ? stale : one).data(), kLarge * sizeof(float));
                Network* const networks[] = {&network};
                ExchangeHead head{.gathered = rank == without ? 0 : 1};
                const bool done = group.sum(head, networks, DType::kF32).has_value();
                right[rank] = done && head.gathered == static_cast<std::int64_t>(count) - 1 &&
                                      std::memcmp(network.gradient.as<float>(), wanted.data(), kLarge * 4) == 0
                                  ? 1
                                  : 0;
            });
            CHECK(right == std::vector<int>(count, 1));
        }
    }
}

TEST_CASE("a shard whose minibatches were left out gets the sum of the others") {
    for (const std::size_t count : {2U, 3U, 5U}) {
        for (std::size_t without = 0; without < count; ++without) {
            CAPTURE(count, without);
            std::vector<std::vector<float>> all;
            for (std::size_t rank = 0; rank < count; ++rank) {
                all.emplace_back(16, rank == without ? -0.0F : 0.1F * static_cast<float>(rank + 1));
            }
            const std::vector<float> wanted = plain_sum(all);
            std::vector<int> right(count);
            in_whole_group(count, [&](Group& group) {
                const std::size_t rank = group.rank();
                const std::vector<float> stale(16, 1e9F);  // it is not read
                Network network = network_with(rank == without ? stale.data() : all[rank].data(), 64);
                const std::vector<Network*> networks = {&network};
                ExchangeHead head{.gathered = rank == without ? 0 : 1};
                const Status done = group.sum(head, networks, DType::kF32);
                right[rank] = done && head.gathered == static_cast<std::int64_t>(count) - 1 &&
                              std::memcmp(network.gradient.as<float>(), wanted.data(), 64) == 0;
            });
            CHECK(right == std::vector<int>(count, 1));
        }
    }
}

}  // namespace sums_test
