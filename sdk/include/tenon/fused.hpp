// SPDX-License-Identifier: Apache-2.0
// Fused nodes: an author's own loops as one node of a graph, with its gradient.
//
//     struct Square {  // one input, one output
//         template <class Real>
//         static void forward(const tenon::FusedForward<Real>& k) {
//             for (std::size_t i = 0; i < k.rows(); ++i) k.out(0)[i] = k.in(0)[i] * k.in(0)[i];
//         }
//         template <class Real>
//         static void backward(const tenon::FusedBackward<Real>& k) {  // omit it if no gradient is needed
//             if (k.wants(0) && k.flows(0))
//                 for (std::size_t i = 0; i < k.rows(); ++i)
//                     k.in_gradient(0)[i] = k.out_gradient(0)[i] * 2 * k.in(0)[i];
//         }
//     };
//
// The objective or policy lists the kernel:
//
//     static constexpr auto fused_kernels = std::tuple{tenon::kernel<Square>("square", 1, 1)};
//
// One of its functions calls
//
//     tenon::fused("square", {x}, [](std::span<const tenon::Value> in) { return in[0] * in[0]; })
//
// where the body defines the result that the host compares the kernel with. Without a body it is
// tenon::fused<1>("square", {x}, {{}}), with the sizes of each output after its rows: {{}} is one output with one
// number per row; {{}, {4}} are two outputs, with one number per row and with four.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tenon/abi/fused.h"
#include "tenon/build.hpp"
#include "tenon/guard.hpp"
#include "tenon/region.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The common arguments of both functions of a kernel. Memory is dense, rows first.
template <class Real>
class FusedForward {
public:
    explicit FusedForward(const tn_fused_call& call) : call_(call) {}

    // The product of all leading dimensions.
    [[nodiscard]] std::size_t rows() const { return call_.rows; }
    [[nodiscard]] std::span<const std::int64_t> leading() const { return {call_.leading, call_.leading_count}; }
    // rows() times its sizes elements; an input without rows, for example an option, has only its own sizes.
    [[nodiscard]] std::span<const Real> in(std::size_t i) const { return span_of<const Real>(*call_.in[i]); }
    [[nodiscard]] std::span<const std::int64_t> int_in(std::size_t i) const {
        return span_of<const std::int64_t>(*call_.in[i]);
    }
    [[nodiscard]] std::span<const std::uint8_t> bool_in(std::size_t i) const {
        return span_of<const std::uint8_t>(*call_.in[i]);
    }
    [[nodiscard]] std::span<Real> out(std::size_t i) const { return span_of<Real>(*call_.out[i]); }
    // The call in the form of tenon/abi/fused.h, for example for shapes.
    [[nodiscard]] const tn_fused_call& call() const { return call_; }

protected:
    template <class T>
    static std::span<T> span_of(const tn_tensor& tensor) {
        std::size_t count = 1;
        for (std::uint32_t d = 0; d < tensor.rank; ++d) {
            count *= static_cast<std::size_t>(tensor.shape[d]);
        }
        return {static_cast<T*>(tensor.data), count};
    }

private:
    const tn_fused_call& call_;
};

template <class Real>
class FusedBackward : public FusedForward<Real> {
public:
    using FusedForward<Real>::FusedForward;

    // Whether a gradient reaches the output, and whether the gradient of the input is needed.
    [[nodiscard]] bool flows(std::size_t i) const { return this->call().out_gradient[i] != nullptr; }
    [[nodiscard]] bool wants(std::size_t i) const { return this->call().in_gradient[i] != nullptr; }
    [[nodiscard]] std::span<const Real> out_gradient(std::size_t i) const {
        return this->template span_of<const Real>(*this->call().out_gradient[i]);
    }
    // Every element must be written. For an input without rows it is the sum over the rows.
    [[nodiscard]] std::span<Real> in_gradient(std::size_t i) const {
        return this->template span_of<Real>(*this->call().in_gradient[i]);
    }
};

template <class K>
struct Kernel {
    using Functions = K;
    const char* name;
    std::uint32_t inputs;
    std::uint32_t outputs;
    std::uint32_t revision;
};

// A kernel of a component. Increase the revision whenever the results change.
template <class K>
consteval Kernel<K> kernel(const char* name, std::uint32_t inputs, std::uint32_t outputs, std::uint32_t revision = 1) {
    return {name, inputs, outputs, revision};
}

namespace detail {

template <class K, class Real>
concept ComputesIn = requires(const FusedForward<Real>& k) { K::forward(k); };
template <class K>
concept LearnsThrough = requires(const FusedBackward<double>& k) { K::backward(k); } ||
                        requires(const FusedBackward<float>& k) { K::backward(k); };

// "tenon.fused/1" for an adapter that has host(); T lists fused_kernels.
template <class Adapter, class T>
class FusedInterface {
public:
    static const tn_fused_api* table() {
        static constexpr tn_fused_api kTable{sizeof(tn_fused_api), 0, &list};
        return &kTable;
    }

private:
    template <class K, bool kBackward>
    static tn_status run(void* self, const tn_fused_call* call) noexcept {
        return guard(static_cast<Adapter*>(self)->host(), [&] {
            const auto with = [&]<class Real>(Real) {
                if constexpr (!ComputesIn<K, Real>) {
                    throw Error(TN_UNIMPLEMENTED, "the kernel has no function for this dtype");
                } else if constexpr (kBackward) {
                    K::backward(FusedBackward<Real>(*call));
                } else {
                    K::forward(FusedForward<Real>(*call));
                }
            };
            call->real == TN_F64 ? with(double{}) : with(float{});
        });
    }

    template <class K>
    static constexpr tn_fused_kernel entry(const Kernel<K>& kernel) {
        static_assert(
            ComputesIn<K, float> || ComputesIn<K, double>,
            "a kernel needs static void forward(const tenon::FusedForward<Real>&), as a template or for one Real");
        tn_fused_kernel out{};
        out.struct_size = sizeof(tn_fused_kernel);
        if constexpr (ComputesIn<K, float>) {
            out.flags |= TN_FUSED_F32;
        }
        if constexpr (ComputesIn<K, double>) {
            out.flags |= TN_FUSED_F64;
        }
        out.name = kernel.name;
        out.revision = kernel.revision;
        out.in_count = kernel.inputs;
        out.out_count = kernel.outputs;
        out.forward = &run<K, false>;
        if constexpr (LearnsThrough<K>) {
            out.backward = &run<K, true>;
        }
        return out;
    }

    static constexpr auto kKernels = std::apply(
        [](const auto&... k) { return std::array<tn_fused_kernel, sizeof...(k)>{entry(k)...}; }, T::fused_kernels);

    static tn_status list(void* /*self*/, const tn_fused_kernel* const** out, std::uint32_t* count) noexcept {
        static constexpr auto kPointers = [] {
            std::array<const tn_fused_kernel*, kKernels.size()> pointers{};
            for (std::size_t i = 0; i < pointers.size(); ++i) {
                pointers[i] = &kKernels[i];
            }
            return pointers;
        }();
        *out = kPointers.data();
        *count = static_cast<std::uint32_t>(kPointers.size());
        return TN_OK;
    }
};

inline std::vector<Value> fused_values(const Name& kernel, std::initializer_list<In> inputs, auto body) {
    const std::array attributes{Attr("kernel", kernel.text)};
    const std::vector<Value> inside =
        begin_region("fused", std::span(inputs.begin(), inputs.size()), attributes, kernel.at);
    return end_region(body(std::span<const Value>(inside)));
}

}  // namespace detail

// The outputs of a kernel of this component. The body computes the same with ordinary nodes and reads nothing but the
// inputs. It defines the types of the outputs, and the host compares the kernel with it at the first update.
template <class Body>
auto fused(Name kernel, std::initializer_list<In> inputs, Body body) {
    using Result = std::invoke_result_t<Body, std::span<const Value>>;
    if constexpr (std::is_same_v<Result, Value>) {
        return detail::fused_values(kernel, inputs, [&](std::span<const Value> in) { return std::array{body(in)}; })
            .front();
    } else {
        const std::vector<Value> values = detail::fused_values(kernel, inputs, body);
        Result out{};
        for (std::size_t i = 0; i < out.size() && i < values.size(); ++i) {
            out[i] = values[i];
        }
        return out;
    }
}

// Calls a kernel without a body, for computations that are to stay secret. `sizes`: those of each output after all
// leading dimensions of the inputs. The host compares backward with finite differences of forward.
template <std::size_t N>
std::array<Value, N> fused(Name kernel, std::initializer_list<In> inputs,
                           std::initializer_list<std::initializer_list<std::int64_t>> sizes) {
    std::vector<tn_value> ids;
    for (const In& input : inputs) {
        ids.push_back(input.id);
    }
    std::vector<std::int64_t> outputs;
    for (const auto& each : sizes) {
        outputs.push_back(static_cast<std::int64_t>(each.size()));
        outputs.insert(outputs.end(), each.begin(), each.end());
    }
    const std::array attributes{detail::Attr("kernel", kernel.text),
                                detail::Attr("outputs", std::span<const std::int64_t>(outputs))};
    return detail::emit_many<N>("fused", 1, ids, attributes, kernel.at);
}

}  // namespace TENON_SDK
}  // namespace tenon
