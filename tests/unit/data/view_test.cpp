// SPDX-License-Identifier: Apache-2.0
// Laws of views: whatever chain of slices, indices and reshapes made it, a view shows the elements that index
// arithmetic says.
#include "base/data/view.hpp"

#include <numeric>
#include <random>
#include <vector>

#include "base/data/column_table.hpp"
#include "support/catch.hpp"

namespace view_test {

namespace {

using namespace tenon;

std::vector<std::int64_t> elements(const View& view) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(view.shape.elements()));
    copy(view, dense(out.data(), DType::kI64, view.shape));
    return out;
}

// The elements by index arithmetic alone.
void collect(const View& view, std::uint32_t dim, std::int64_t at, std::vector<std::int64_t>& out) {
    if (dim == view.shape.rank) {
        out.push_back(view.as<std::int64_t>()[at]);
        return;
    }
    for (std::int64_t i = 0; i < view.shape[dim]; ++i) {
        collect(view, dim + 1, at + i * view.strides[dim], out);
    }
}

struct Counted {
    std::vector<std::int64_t> numbers;
    View view;
};

Counted counted(const Shape& shape) {
    Counted out{.numbers = std::vector<std::int64_t>(static_cast<std::size_t>(shape.elements())), .view = {}};
    std::iota(out.numbers.begin(), out.numbers.end(), 0);
    out.view = dense(out.numbers.data(), DType::kI64, shape);
    return out;
}

TEST_CASE("a slice and an index show the elements that belong there") {
    const Counted c = counted({3, 4, 5});
    CHECK(elements(c.view.slice(1, 1, 2).index(0, 2)) ==
          std::vector<std::int64_t>{45, 46, 47, 48, 49, 50, 51, 52, 53, 54});
    CHECK(elements(c.view.index(2, 3)) == std::vector<std::int64_t>{3, 8, 13, 18, 23, 28, 33, 38, 43, 48, 53, 58});
    CHECK(elements(c.view.index(0, 1).index(0, 2).index(0, 3)) == std::vector<std::int64_t>{33});
    CHECK(c.view.slice(0, 0, 3).contiguous());
    CHECK_FALSE(c.view.slice(1, 0, 2).contiguous());
    CHECK(c.view.slice(1, 0, 0).contiguous());
}

TEST_CASE("a reshape keeps elements and order, and is refused only where no strides can do it") {
    const auto seed = GENERATE(range(0U, 300U));
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const Counted c = counted({2 * pick(1, 3), 2 * pick(1, 2), 6});
    View view = c.view;
    for (std::uint32_t dim = 0; dim < 3; ++dim) {
        if (pick(0, 2) == 0) {
            view = view.slice(dim, pick(0, 1), view.shape[dim] / 2);
        }
    }
    if (pick(0, 2) == 0) {
        view = view.index(static_cast<std::uint32_t>(pick(0, 2)), 0);
    }
    // A random factorisation of the number of elements, ones included.
    std::vector<std::int64_t> factors;
    std::int64_t left = view.shape.elements();
    while (left > 1 || pick(0, 1) == 0) {
        std::int64_t f = pick(1, left);
        while (left % f != 0) {
            --f;
        }
        factors.push_back(f);
        left /= f;
        if (factors.size() == 5) {
            factors.back() *= left;
            break;
        }
    }
    const Shape to{std::span<const std::int64_t>(factors)};
    std::vector<std::int64_t> expected;
    collect(view, 0, 0, expected);
    CHECK(elements(view) == expected);
    if (const auto reshaped = view.reshape(to)) {
        CHECK(reshaped->shape == to);
        CHECK(elements(*reshaped) == expected);
    } else {
        // The offsets, told apart by value since element i holds i, are then not affine in some index of the new shape.
        CHECK_FALSE(view.contiguous());
        const View flat = dense(expected.data(), DType::kI64, to);
        bool affine = true;
        for (std::uint32_t dim = 0; dim < to.rank && affine; ++dim) {
            for (std::int64_t i = 0; i + 1 < to[dim]; ++i) {
                const auto a = elements(flat.slice(dim, i, 1));
                const auto b = elements(flat.slice(dim, i + 1, 1));
                for (std::size_t k = 0; k < a.size(); ++k) {
                    affine = affine &&
                             b[k] - a[k] == elements(flat.slice(dim, 1, 1))[0] - elements(flat.slice(dim, 0, 1))[0];
                }
            }
        }
        CHECK_FALSE(affine);
    }
}

TEST_CASE("another number of elements is no reshape") {
    const Counted c = counted({3, 4});
    CHECK_FALSE(c.view.reshape({5, 2}).has_value());
    CHECK(c.view.reshape({2, 6}).has_value());
    CHECK(c.view.index(0, 1).index(0, 1).reshape({1, 1}).has_value());
}

TEST_CASE("a repeated view shows the same rows again") {
    const Counted c = counted({2});
    CHECK(elements(c.view.repeat(3)) == std::vector<std::int64_t>{0, 1, 0, 1, 0, 1});
}

TEST_CASE("what a table hands out stays valid while the table grows and moves") {
    const Counted c = counted({2, 3});
    ColumnTable table;
    table.add("a", c.view);
    const tn_column* const first = table.data()[0];
    for (int i = 0; i < 100; ++i) {
        table.add("column" + std::to_string(i), c.view.index(0, 1));
    }
    const ColumnTable moved = std::move(table);
    REQUIRE(moved.size() == 101);
    CHECK(moved.data()[0] == first);
    CHECK(std::string(first->key.data, first->key.size) == "a");
    CHECK(first->tensor.shape[1] == 3);
    CHECK(first->tensor.strides[0] == 3);
    CHECK(moved.data()[100]->tensor.rank == 1);
    CHECK(moved.find("column99")->shape == Shape{3});
    CHECK(moved.find("column100") == nullptr);
}

}  // namespace

}  // namespace view_test
