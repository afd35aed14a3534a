// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <cmath>

namespace physics {

double tolerance(double x, double lower, double upper, double margin, Fall fall, double at_margin) {
    if (lower <= x && x <= upper) {
        return 1;
    }
    if (margin == 0) {
        return 0;
    }
    const double distance = (x < lower ? lower - x : x - upper) / margin;
    if (fall == Fall::kGaussian) {
        const double scaled = distance * std::sqrt(-2 * std::log(at_margin));
        return std::exp(-0.5 * (scaled * scaled));
    }
    if (fall == Fall::kLongTail) {
        const double scaled = distance * std::sqrt(1 / at_margin - 1);
        return 1 / (scaled * scaled + 1);
    }
    const double scaled = distance * (fall == Fall::kLinear ? 1 - at_margin : std::sqrt(1 - at_margin));
    if (scaled >= 1) {
        return 0;
    }
    return 1 - (fall == Fall::kLinear ? scaled : scaled * scaled);
}

void evaluate(std::span<const Instruction> instructions, const mjData& data, std::span<double> registers) {
    for (const Instruction& one : instructions) {
        double* const out = registers.data() + one.out.at;
        const double* const a = registers.data() + one.a.at;
        const double* const b = registers.data() + one.b.at;
        const double* const c = registers.data() + one.c.at;
        const std::size_t step_a = one.a.each();
        const std::size_t step_b = one.b.each();
        const std::size_t step_c = one.c.each();
        const std::size_t size = one.out.size;
        switch (one.op) {
            case Op::kLoad:
                std::copy_n(data.*one.array + one.index, size, out);
                break;
            case Op::kTime:
                *out = data.time;
                break;
            case Op::kContacts:
                *out = data.ncon;
                break;
            case Op::kCopy:
                std::copy_n(a, size, out);
                break;
            case Op::kUnary:
                for (std::size_t i = 0; i < size; ++i) {
                    out[i] = one.unary(a[i]);
                }
                break;
            case Op::kBinary:
                for (std::size_t i = 0; i < size; ++i) {
                    out[i] = one.binary(a[i * step_a], b[i * step_b]);
                }
                break;
            case Op::kChoose:
                for (std::size_t i = 0; i < size; ++i) {
                    out[i] = a[i * step_a] != 0 ? b[i * step_b] : c[i * step_c];
                }
                break;
            case Op::kReduce:
                *out = one.reduce({a, one.a.size});
                break;
            case Op::kDot:
                *out = 0;
                for (std::size_t i = 0; i < one.a.size; ++i) {
                    *out += a[i] * b[i];
                }
                break;
            case Op::kTolerance:
                for (std::size_t i = 0; i < size; ++i) {
                    out[i] = tolerance(a[i], *b, *c, registers[one.d.at], one.fall, registers[one.e.at]);
                }
                break;
        }
    }
}

}  // namespace physics
