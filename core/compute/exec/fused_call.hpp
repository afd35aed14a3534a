// SPDX-License-Identifier: Apache-2.0
// The arguments of an author's kernel: shapes, which are known in advance, and addresses, which are set before each
// run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "base/data/dtype.hpp"
#include "base/error/result.hpp"
#include "compute/graph/graph.hpp"

namespace tenon {

struct FusedShape {
    graph::Kind kind = graph::Kind::kReal;
    std::vector<std::int64_t> shape;
};

struct FusedShapes {
    std::vector<std::int64_t> leading;
    std::vector<FusedShape> in;
    std::vector<FusedShape> out;
};

class FusedCall {
public:
    // `place`: the author's line of the node.
    FusedCall(graph::FusedKernel kernel, const FusedShapes& shapes, DType real, Place place);
    FusedCall(const FusedCall&) = delete;
    FusedCall& operator=(const FusedCall&) = delete;
    ~FusedCall() = default;

    void set_in(std::size_t i, const void* data);
    void set_out(std::size_t i, void* data);
    // Null if there is no gradient, or if it is not needed.
    void set_out_gradient(std::size_t i, const void* data);
    void set_in_gradient(std::size_t i, void* data);

    // Calls f(number) for every number that depends on the number of rows; f may change it.
    template <class F>
    void each_size(F f) {
        f(call_.rows);
        each_of(leading_, f);
        for (List* list : {&in_, &out_, &out_gradient_, &in_gradient_}) {
            for (std::size_t i = 0; i < list->shapes.size(); ++i) {
                each_of(list->shapes[i], f);
                each_of(list->strides[i], f);
            }
        }
    }

    [[nodiscard]] Status forward();
    [[nodiscard]] Status backward();

    [[nodiscard]] const graph::FusedKernel& kernel() const { return kernel_; }

private:
    struct List {
        std::vector<std::vector<std::int64_t>> shapes;
        std::vector<std::vector<std::int64_t>> strides;
        std::vector<tn_tensor> tensors;
        std::vector<const tn_tensor*> given;
    };

    static List list_of(const std::vector<FusedShape>& shapes, DType real);
    static void set(List& list, std::size_t i, void* data, bool is_given);

    template <class F>
    static void each_of(std::vector<std::int64_t>& numbers, F& f) {
        for (std::int64_t& number : numbers) {
            f(number);
        }
    }

    graph::FusedKernel kernel_;
    Place place_;
    std::vector<std::int64_t> leading_;
    List in_;
    List out_;
    List out_gradient_;
    List in_gradient_;
    tn_fused_call call_{};
};

// Carries a kernel's failure through libraries that only know exceptions.
struct FusedFailure final : std::exception {
    explicit FusedFailure(Problem said) : problem(std::move(said)) {}
    [[nodiscard]] const char* what() const noexcept override { return problem.sentence.c_str(); }
    Problem problem;
};

}  // namespace tenon
