// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/operations_attention.hpp"

#include <algorithm>
#include <cstdint>

#include "engines/compiled/kernels/kernels.hpp"
#include "engines/compiled/sharing.hpp"
#include "engines/compiled/walking.hpp"

namespace tenon::compiled {
namespace {

// The inputs by what they are; of attention itself there is no flow.
struct Parts {
    const View* flow = nullptr;  // the result's gradient
    const View* query;
    const View* key;
    const View* value;
    const View* allowed = nullptr;

    explicit Parts(const Op& op) {
        const std::size_t first = op.code == Code::kAttentionGradient ? 1 : 0;
        flow = first == 1 ? op.in.data() : nullptr;
        query = &op.in[first];
        key = &op.in[first + 1];
        value = &op.in[first + 2];
        allowed = op.in.size() > first + 3 ? &op.in[first + 3] : nullptr;
    }
};

std::int64_t rows_of(const View& view) {
    return view.shape.end()[-2];
}
std::int64_t row_stride(const View& view) {
    return view.strides.end()[-2];
}

// A head's sizes, without its memory.
Attention head_of(const Op& op, const Parts& parts) {
    Attention out;
    out.queries = rows_of(*parts.query);
    out.keys = rows_of(*parts.key);
    out.width = parts.query->shape.back() / op.attending.heads;
    out.value_width = parts.value->shape.back() / op.attending.heads;
    out.scale = op.attending.scale;
    out.causal = op.attending.causal;
    out.window = op.attending.window;
    out.query_row = row_stride(*parts.query);
    out.key_row = row_stride(*parts.key);
    out.value_row = row_stride(*parts.value);
    return out;
}

// Where each view begins for one place of the leading dimensions.
class Places {
public:
    explicit Places(const Op& op) : leading_(Numbers(op.in[0].shape).first(op.in[0].shape.size() - 2)) {
        for (const std::int64_t size : leading_) {
            count_ *= size;
        }
    }

    [[nodiscard]] std::int64_t count() const { return count_; }

    [[nodiscard]] std::int64_t of(const View& view, std::int64_t number) const {
        std::int64_t out = view.offset;
        for (std::size_t d = leading_.size(); d > 0; --d) {
            out += number % leading_[d - 1] * view.strides[d - 1];
            number /= leading_[d - 1];
        }
        return out;
    }

private:
    Numbers leading_;
    std::int64_t count_ = 1;
};

template <class T>
void run(const Op& op, const Kernels& k, const Memory& memory) {
    constexpr double kWorthSharing = 250'000;  // multiplications: a few microseconds
    const Parts parts(op);
    const Places places(op);
    const Attention sizes = head_of(op, parts);
    const std::int64_t heads = op.attending.heads;
    const auto start = [&](const View& view, std::int64_t place, std::int64_t element) {
        return at<const T>(memory, view) + places.of(view, place) + element;
    };
    const auto one = [&](std::int64_t unit, const Desk& desk) {
        const std::int64_t place = unit / heads;
        const std::int64_t head = unit % heads;
        Attention task = sizes;
        task.scratch = desk.scratch;
        task.query = start(*parts.query, place, head * task.width);
        task.key = start(*parts.key, place, head * task.width);
        task.value = start(*parts.value, place, head * task.value_width);
        if (parts.allowed != nullptr) {
            const View& allowed = *parts.allowed;
            if (allowed.shape.size() == op.in[0].shape.size()) {
                task.allowed = at<const unsigned char>(memory, allowed) + places.of(allowed, place);
                task.allowed_row = row_stride(allowed);
                task.allowed_key = allowed.strides.back();
            } else {
                task.first = at<const std::int64_t>(memory, allowed) + places.of(allowed, place);
                task.first_row = allowed.strides.back();
                task.first_step = op.attending.over_time ? 1 : 0;
            }
        }
        if (parts.flow == nullptr) {
            task.out = at<T>(memory, op.out) + places.of(op.out, place) + head * task.value_width;
            task.out_row = row_stride(op.out);
            k.attention(task);
            return;
        }
        task.out_gradient = start(*parts.flow, place, head * task.value_width);
        task.out_gradient_row = row_stride(*parts.flow);
        T* to = at<T>(memory, op.out) + places.of(op.out, place);
        // Over time, the gradients of a step's rows are contiguous, otherwise the rows of each gradient.
        const bool over_time = op.attending.over_time;
        task.gradient_from = over_time ? task.keys - task.queries : 0;
        const auto gradient = [&](std::size_t number, std::int64_t rows, std::int64_t width, void*& out,
                                  std::int64_t& row) {
            if (op.attending.wanted[number]) {
                out = to + head * width;
                row = over_time ? row_stride(op.out) : heads * width;
                to += (over_time ? 1 : rows) * heads * width;
            }
        };
        gradient(0, task.queries, task.width, task.query_gradient, task.query_gradient_row);
        gradient(1, task.keys, task.width, task.key_gradient, task.key_gradient_row);
        gradient(2, task.keys, task.value_width, task.value_gradient, task.value_gradient_row);
        k.attention_gradient(task);
    };
    const std::int64_t units = places.count() * heads;
    const auto desks = static_cast<std::int64_t>(memory.desks.size());
    if (desks == 1 || units < 2 || attention_work(op) < kWorthSharing) {
        for (std::int64_t unit = 0; unit < units; ++unit) {
            one(unit, memory.desks.front());
        }
        return;
    }
    share(memory, units, (units + desks - 1) / desks, [&](std::int64_t first, std::int64_t count, const Desk& desk) {
        for (std::int64_t unit = first; unit < first + count; ++unit) {
            one(unit, desk);
        }
    });
}

}  // namespace

void run_attention(const Op& op, DType real, const Memory& memory) {
    real == DType::kF64 ? run<double>(op, kernels(real), memory) : run<float>(op, kernels(real), memory);
}

std::size_t attention_scratch(const Op& op, DType real) {
    return kernels(real).attention_scratch(head_of(op, Parts(op)), op.code == Code::kAttentionGradient);
}

double attention_work(const Op& op) {
    const Parts parts(op);
    const std::int64_t keys = rows_of(*parts.key);
    const std::int64_t reached =
        op.attending.window > 0 ? std::min(keys, op.attending.window + rows_of(*parts.query)) : keys;
    const double products = op.code == Code::kAttentionGradient ? 2.5 : 1;
    const std::int64_t queries = parts.query->count() / std::max<std::int64_t>(parts.query->shape.back(), 1);
    return products * static_cast<double>(queries) *
           static_cast<double>(reached * (parts.key->shape.back() + parts.value->shape.back()));
}

}  // namespace tenon::compiled
