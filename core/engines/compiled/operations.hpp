// SPDX-License-Identifier: Apache-2.0
// Runs the operations that are not loops.
#pragma once

#include <cstdint>

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

// Precomputes what does not depend on the data; called once.
void prepare_operation(Op& op);
// Merges adjacent dimensions and moves the reduced ones to the end.
void prepare_reduction(Op& op);

void run_operation(const Op& op, DType real, const Memory& memory, const Call& call);

// One function for each code of codes.inc, or for several of them.
#define TENON_CODE(NAME, TEXT, RUN) void RUN(const Op& op, DType real, const Memory& memory, const Call& call);
#include "engines/compiled/codes.inc"
#undef TENON_CODE

// Calls run(a number of the type in which values of the kind are stored), or of the reals' type.
template <class Run>
void with_real(DType real, const Run& run) {
    real == DType::kF64 ? run(double{}) : run(float{});
}
template <class Run>
void with_stored(Kind kind, DType real, const Run& run) {
    if (kind == Kind::kInt) {
        return run(std::int64_t{});
    }
    return kind == Kind::kBool ? run(static_cast<unsigned char>(0)) : with_real(real, run);
}

// The bytes of scratch memory that it needs.
std::size_t scratch_of(const Op& op, DType real);
std::size_t attention_scratch(const Op& op, DType real);

// How many multiplications the products of an attention have.
double attention_work(const Op& op);

}  // namespace tenon::compiled
