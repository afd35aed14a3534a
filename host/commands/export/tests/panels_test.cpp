// SPDX-License-Identifier: Apache-2.0
// The layout of a product's constant side in an exported C file.
#include <cstring>
#include <vector>

#include "commands/export/c_panels.hpp"
#include "support/catch.hpp"

namespace panels_test {

namespace {

using tenon::compiled::Code;
using tenon::compiled::Op;
using tenon::compiled::View;

// The product of a row with b[p][j] = 100 p + j, which lies transposed in memory, plus bias[j] = -j.
std::vector<float> panels(std::int64_t k, std::int64_t n, std::int64_t whole, std::int64_t lanes) {
    std::vector<float> side(static_cast<std::size_t>(k * n));
    std::vector<float> bias(static_cast<std::size_t>(n));
    for (std::int64_t j = 0; j < n; ++j) {
        bias[static_cast<std::size_t>(j)] = -static_cast<float>(j);
        for (std::int64_t p = 0; p < k; ++p) {
            side[static_cast<std::size_t>(j * k + p)] = static_cast<float>(100 * p + j);
        }
    }
    const View a{.buffer = 1, .offset = 0, .shape = {1, 1, k}, .strides = {0, k, 1}};
    const View b{.buffer = 2, .offset = 0, .shape = {1, k, n}, .strides = {0, 1, k}};
    const View row{.buffer = 3, .offset = 0, .shape = {1, n}, .strides = {0, 1}};
    const Op product{.code = Code::kProduct, .in = {a, b, row}, .out = {}};
    const std::vector<std::byte> bytes =
        tenon::panels_of(product, reinterpret_cast<const std::byte*>(side.data()),
                         reinterpret_cast<const std::byte*>(bias.data()), sizeof(float), whole, lanes);
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    CHECK(static_cast<std::int64_t>(out.size()) == tenon::panel_elements(n, k));
    return out;
}

}  // namespace

TEST_CASE("a panel begins with the bias, has its rows by lane, and is filled up with zeros") {
    const std::vector<float> out = panels(5, 3, 4, 2);  // rows 0 and 2, 1 and 3, then 4
    const std::vector<float> rows = {0, 200, 100, 300, 400};
    for (std::size_t j = 0; j < 8; ++j) {
        const bool is_column = j < 3;
        CHECK(out[j] == (is_column ? -static_cast<float>(j) : 0));
        for (std::size_t p = 0; p < 5; ++p) {
            CHECK(out[8 * (p + 1) + j] == (is_column ? rows[p] + static_cast<float>(j) : 0));
        }
    }
}

TEST_CASE("panels of 32 columns come before panels of 8") {
    const std::vector<float> out = panels(2, 41, 0, 16);
    CHECK(out[0] == 0);
    CHECK(out[31] == -31);
    CHECK(out[32] == 0);           // row 0, column 0
    CHECK(out[32 + 32] == 100);    // row 1
    CHECK(out[3 * 32] == -32);     // the bias of the second panel
    CHECK(out[3 * 32 + 8] == 32);  // its row 0
    CHECK(out[3 * 32 + 3 * 8] == -40);
    CHECK(out[3 * 32 + 3 * 8 + 1] == 0);  // beyond the last column
}

}  // namespace panels_test
