// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/fused_call.hpp"

namespace tenon {
namespace {

std::int32_t dtype_of(graph::Kind kind, DType real) {
    if (kind == graph::Kind::kReal) {
        return real == DType::kF64 ? TN_F64 : TN_F32;
    }
    return kind == graph::Kind::kInt ? TN_I64 : TN_BOOL;
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> out(shape.size(), 1);
    for (std::size_t i = shape.size(); i > 1; --i) {
        out[i - 2] = out[i - 1] * shape[i - 1];
    }
    return out;
}

}  // namespace

FusedCall::List FusedCall::list_of(const std::vector<FusedShape>& shapes, DType real) {
    List out;
    for (const FusedShape& each : shapes) {
        out.shapes.push_back(each.shape);
        out.strides.push_back(dense_strides(each.shape));
        tn_tensor tensor{};
        tensor.struct_size = sizeof(tn_tensor);
        tensor.dtype = dtype_of(each.kind, real);
        tensor.rank = static_cast<std::uint32_t>(each.shape.size());
        tensor.device_type = TN_DEVICE_CPU;
        out.tensors.push_back(tensor);
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        out.tensors[i].shape = out.shapes[i].data();
        out.tensors[i].strides = out.strides[i].data();
    }
    out.given.assign(shapes.size(), nullptr);
    return out;
}

FusedCall::FusedCall(graph::FusedKernel kernel, const FusedShapes& shapes, DType real, Place place)
    : kernel_(std::move(kernel)),
      place_(std::move(place)),
      leading_(shapes.leading),
      in_(list_of(shapes.in, real)),
      out_(list_of(shapes.out, real)),
      out_gradient_(list_of(shapes.out, real)),
      in_gradient_(list_of(shapes.in, real)) {
    call_.struct_size = sizeof(tn_fused_call);
    call_.real = dtype_of(graph::Kind::kReal, real);
    call_.leading_count = static_cast<std::uint32_t>(leading_.size());
    call_.leading = leading_.data();
    call_.rows = 1;
    for (const std::int64_t size : leading_) {
        call_.rows *= static_cast<std::uint64_t>(size);
    }
    call_.in_count = static_cast<std::uint32_t>(shapes.in.size());
    call_.out_count = static_cast<std::uint32_t>(shapes.out.size());
    call_.in = in_.given.data();
    call_.out = out_.given.data();
}

void FusedCall::set(List& list, std::size_t i, void* data, bool is_given) {
    list.tensors[i].data = data;
    list.given[i] = is_given ? &list.tensors[i] : nullptr;
}

void FusedCall::set_in(std::size_t i, const void* data) {
    set(in_, i, const_cast<void*>(data), true);  // a kernel writes to outputs only
}

void FusedCall::set_out(std::size_t i, void* data) {
    set(out_, i, data, true);
}

void FusedCall::set_out_gradient(std::size_t i, const void* data) {
    set(out_gradient_, i, const_cast<void*>(data), data != nullptr);
}

void FusedCall::set_in_gradient(std::size_t i, void* data) {
    set(in_gradient_, i, data, data != nullptr);
}

Status FusedCall::forward() {
    call_.out_gradient = nullptr;
    call_.in_gradient = nullptr;
    return kernel_.call(kernel_, kernel_.what->forward, place_, call_);
}

Status FusedCall::backward() {
    call_.out_gradient = out_gradient_.given.data();
    call_.in_gradient = in_gradient_.given.data();
    return kernel_.call(kernel_, kernel_.what->backward, place_, call_);
}

}  // namespace tenon
