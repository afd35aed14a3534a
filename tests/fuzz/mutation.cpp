// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mutation.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tenon::fuzz {
namespace {

// Numbers that readers get wrong: ends of types, sizes near the input's own.
std::uint64_t number(Random& random, std::size_t size) {
    constexpr std::array<std::uint64_t, 10> kEnds = {0,      1,          0x7f,       0xff,      0x7fff,
                                                     0xffff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
    return random() % 2 == 0 ? kEnds[random() % kEnds.size()] : size + random() % 9 - 4;
}

}  // namespace

void mutate_bytes(Input& input, const Input& other, Random& random) {
    const std::size_t at = input.empty() ? 0 : random() % input.size();
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 7) {
        case 0:
            input.insert(place, static_cast<std::uint8_t>(random()));
            break;
        case 1:
            if (!input.empty()) {
                input[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
            }
            break;
        case 2:
            input.erase(place,
                        place + static_cast<std::ptrdiff_t>(std::min<std::size_t>(input.size() - at, random() % 16)));
            break;
        case 3: {  // a number over what is there
            const std::uint64_t value = number(random, input.size());
            const std::size_t width = std::size_t{1} << random() % 4;
            std::memcpy(input.data() + at, &value, std::min(width, input.size() - at));
            break;
        }
        case 4: {  // a number in digits
            const std::string digits = std::to_string(static_cast<std::int64_t>(number(random, input.size())));
            input.insert(place, digits.begin(), digits.end());
            break;
        }
        case 5: {  // a piece of another input
            const std::size_t from = other.empty() ? 0 : random() % other.size();
            const std::size_t size = std::min<std::size_t>(other.size() - from, random() % 64);
            const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
            input.insert(place, begin, begin + static_cast<std::ptrdiff_t>(size));
            break;
        }
        default:
            input.resize(random() % 4 == 0 ? at : input.size());
            break;
    }
    input.resize(std::min(input.size(), kLargest));
}

}  // namespace tenon::fuzz
