// SPDX-License-Identifier: Apache-2.0
// Works of many kinds that read what others have just written, in a random order.
#pragma once

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "unit/update_kernels/on_device.hpp"

namespace on_device {

// Squares of kSide by kSide, each made of some of those before it.
class Chain {
public:
    explicit Chain(std::uint64_t seed) : generator_(seed) {
        for (std::size_t i = 0; i < kGiven; ++i) {
            squares_.push_back(at_.column<float>({kSide, kSide}, normal(generator_, kSide * kSide)));
        }
    }

    void add_one() {
        switch (generator_() % 7) {
            case 0:
                squares_.push_back(result(Code::kTanh, {one()}));
                break;
            case 1:
                squares_.push_back(result(Code::kSub, {one(), transposed(one())}));
                break;
            case 2:
                squares_.push_back(result(Code::kTanh, {product()}));
                break;
            case 3:  // less its columns' sums
                squares_.push_back(result(Code::kTanh, {difference(one(), reduced(Code::kSum, 0))}));
                break;
            case 4:
                squares_.push_back(difference(one(), reduced(Code::kMax, 1)));
                break;
            case 5:
                squares_.push_back(difference(one(), chosen()));
                break;
            default:
                squares_.push_back(spread());
        }
    }

    void run(const std::shared_ptr<Device>& device) {
        for (std::size_t i = kGiven; i < squares_.size(); ++i) {
            at_.see(squares_[i], Kind::kReal);
        }
        at_.run(device);
    }

private:
    static constexpr std::size_t kGiven = 3;
    static constexpr std::int64_t kSide = 12;

    // One of the last few.
    View one() { return squares_[squares_.size() - 1 - generator_() % 3]; }

    View add(Op op) {
        View out = op.out;
        at_.add(std::move(op));
        return out;
    }
    View result(Code code, std::vector<View> in, std::vector<std::int64_t> shape = {kSide, kSide},
                Kind kind = Kind::kReal) {
        return add({.code = code, .kind = Kind::kReal, .in = std::move(in), .out = at_.result(kind, std::move(shape))});
    }

    static View transposed(View square) {
        std::swap(square.strides[0], square.strides[1]);
        return square;
    }

    // With a bias that is a square's first row, and a tail that reads another one.
    View product() {
        const auto as_batch = [](View square) {
            square.shape.insert(square.shape.begin(), 1);
            square.strides.insert(square.strides.begin(), kSide * kSide);
            return square;
        };
        View row = one();
        row.shape = {1, kSide};
        const bool has_bias = generator_() % 2 == 0;
        const auto tail = static_cast<Tail>(generator_() % 5);
        Op op{.code = Code::kProduct, .kind = Kind::kReal, .in = {}, .out = at_.result(Kind::kReal, {1, kSide, kSide})};
        op.in = {as_batch(one()), as_batch(transposed(one()))};
        if (has_bias || tail == Tail::kRelu || tail == Tail::kTanh) {
            op.in.push_back(row);
        }
        if (reads_operand(tail)) {
            op.in.push_back(as_batch(one()));
        }
        op.tail = tail;
        View out = add(std::move(op));
        out.shape = {kSide, kSide};
        out.strides = {kSide, 1};
        return out;
    }

    // Along one dimension, and repeated along it.
    View reduced(Code code, std::size_t along) {
        std::vector<std::int64_t> shape{kSide, kSide};
        shape[along] = 1;
        return repeated(result(code, {one()}, shape), along);
    }
    static View repeated(View line, std::size_t along) {
        line.shape[along] = kSide;
        line.strides[along] = 0;
        return line;
    }
    View difference(const View& square, const View& other) { return result(Code::kSub, {square, other}); }

    // Of each row the element where another square has its largest.
    View chosen() {
        const View index = result(Code::kArgmax, {one()}, {kSide, 1}, Kind::kInt);
        View with_index = one();
        with_index.shape = {kSide, 1, kSide};
        with_index.strides = {with_index.strides[0], 0, with_index.strides[1]};
        return repeated(result(Code::kGather, {with_index, index}, {kSide, 1}), 1);
    }

    // Zeros, and the first element of a row where another square has its largest.
    View spread() {
        const View index = result(Code::kArgmax, {one()}, {kSide, 1}, Kind::kInt);
        View first = one();
        first.shape = {kSide, 1};
        return result(Code::kPutAlong, {first, index});
    }

    Case at_;
    std::mt19937_64 generator_;
    std::vector<View> squares_;
};

inline void try_chains(const std::shared_ptr<Device>& device) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Chain chain(seed);
        for (int i = 0; i < 30; ++i) {
            chain.add_one();
        }
        chain.run(device);
    }
}

}  // namespace on_device
