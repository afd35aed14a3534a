// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/operations.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

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
    // If it is in parts, the rows after key and value.
    const View* own_key = nullptr;
    const View* own_value = nullptr;

    explicit Parts(const Op& op) {
        std::size_t first = op.code == Code::kAttentionGradient ? 1 : 0;
        flow = first == 1 ? op.in.data() : nullptr;
        query = &op.in[first];
        key = &op.in[first + 1];
        value = &op.in[first + 2];
        if (op.attending.in_parts) {
            own_key = &op.in[first + 3];
            own_value = &op.in[first + 4];
            first += 2;
        }
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

constexpr std::size_t kNoDimension = static_cast<std::size_t>(-1);

// Where each view begins for one place of the leading dimensions, but for one that is left out.
class Places {
public:
    explicit Places(const Op& op, std::size_t without = kNoDimension)
        : leading_(Numbers(op.in[0].shape).first(op.in[0].shape.size() - 2)), without_(without) {
        for (std::size_t d = 0; d < leading_.size(); ++d) {
            count_ *= d == without ? 1 : leading_[d];
        }
    }

    [[nodiscard]] std::int64_t count() const { return count_; }

    [[nodiscard]] std::int64_t of(const View& view, std::int64_t number) const {
        std::int64_t out = view.offset;
        for (std::size_t d = leading_.size(); d > 0; --d) {
            if (d - 1 == without_) {
                continue;
            }
            out += number % leading_[d - 1] * view.strides[d - 1];
            number /= leading_[d - 1];
        }
        return out;
    }

private:
    Numbers leading_;
    std::size_t without_;
    std::int64_t count_ = 1;
};

// The dimension of the queries that share the first keys and values, such as the answers to a prompt.
std::size_t shared_dimension(const Parts& parts) {
    for (std::size_t d = 0; d + 2 < parts.query->shape.size(); ++d) {
        if (parts.query->shape[d] > 1 && parts.key->strides[d] == 0 && parts.value->strides[d] == 0) {
            return d;
        }
    }
    return kNoDimension;
}

// A head's sizes, without its memory.
SharedAttention shared_head_of(const Op& op, const Parts& parts) {
    const std::size_t along = shared_dimension(parts);
    const auto apart = [&](const View& view) { return along == kNoDimension ? 0 : view.strides[along]; };
    SharedAttention out{.first = head_of(op, parts)};
    out.count = along == kNoDimension ? 1 : parts.query->shape[along];
    out.query_apart = apart(*parts.query);
    out.out_apart = apart(op.out);
    out.first_key_col = parts.key->strides.back();
    out.existing = op.attending.padded ? out.first_key_col : out.first.keys;
    out.keys = rows_of(*parts.own_key);
    out.key_row = row_stride(*parts.own_key);
    out.key_col = parts.own_key->strides.back();
    out.key_apart = apart(*parts.own_key);
    out.value_row = row_stride(*parts.own_value);
    out.value_apart = apart(*parts.own_value);
    if (parts.allowed != nullptr) {
        out.first.allowed_key = parts.allowed->strides.back();
        out.allowed_apart = apart(*parts.allowed);
    }
    return out;
}

// Calls run_units(first, count, desk) for all units, on several threads if they have enough to do.
template <class F>
void share_units(const Op& op, const Memory& memory, std::int64_t units, const F& run_units) {
    constexpr double kWorthSharing = 250'000;  // multiplications: a few microseconds
    const auto desks = static_cast<std::int64_t>(memory.desks.size());
    if (desks == 1 || units < 2 || attention_work(op) < kWorthSharing) {
        run_units(0, units, memory.desks.front());
        return;
    }
    share(memory, units, (units + desks - 1) / desks, run_units);
}

template <class T>
void run_in_parts(const Op& op, const Kernels& k, const Memory& memory) {
    const Parts parts(op);
    const Places places(op, shared_dimension(parts));
    const SharedAttention sizes = shared_head_of(op, parts);
    const std::int64_t heads = op.attending.heads;
    const auto run_units = [&](std::int64_t first, std::int64_t count, const Desk& desk) {
        for (std::int64_t unit = first; unit < first + count; ++unit) {
            const std::int64_t place = unit / heads, head = unit % heads;
            const auto start = [&](const View& view, std::int64_t width) {
                return at<const T>(memory, view) + places.of(view, place) + head * width;
            };
            SharedAttention task = sizes;
            task.first.scratch = desk.scratch;
            task.first.query = start(*parts.query, sizes.first.width);
            task.first.key = start(*parts.key, sizes.first.width * sizes.first_key_col);
            task.first.value = start(*parts.value, sizes.first.value_width);
            task.key = start(*parts.own_key, sizes.first.width * sizes.key_col);
            task.value = start(*parts.own_value, sizes.first.value_width);
            task.first.out = at<T>(memory, op.out) + places.of(op.out, place) + head * sizes.first.value_width;
            if (parts.allowed != nullptr) {
                task.first.allowed = at<const unsigned char>(memory, *parts.allowed) + places.of(*parts.allowed, place);
            }
            k.shared_attention(task);
        }
    };
    share_units(op, memory, places.count() * heads, run_units);
}

template <class T>
void run(const Op& op, const Kernels& k, const Memory& memory) {
    const Parts parts(op);
    const Places places(op);
    const Attention sizes = head_of(op, parts);
    const std::int64_t heads = op.attending.heads;
    // The first head of a place of the leading dimensions.
    const auto first_head = [&](std::int64_t place) {
        const auto start = [&](const View& view) { return at<const T>(memory, view) + places.of(view, place); };
        Attention task = sizes;
        task.query = start(*parts.query);
        task.key = start(*parts.key);
        task.value = start(*parts.value);
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
        T* to = at<T>(memory, op.out) + places.of(op.out, place);
        if (parts.flow == nullptr) {
            task.out = to;
            task.out_row = row_stride(op.out);
            return task;
        }
        task.out_gradient = start(*parts.flow);
        task.out_gradient_row = row_stride(*parts.flow);
        // Over time, the gradients of a step's rows are contiguous, otherwise the rows of each gradient.
        const bool over_time = op.attending.over_time;
        task.gradient_from = over_time ? task.keys - task.queries : 0;
        const auto gradient = [&](std::size_t number, std::int64_t rows, std::int64_t width, void*& out,
                                  std::int64_t& row) {
            if (op.attending.wanted[number]) {
                out = to;
                row = over_time ? row_stride(op.out) : heads * width;
                to += (over_time ? 1 : rows) * heads * width;
            }
        };
        gradient(0, task.queries, task.width, task.query_gradient, task.query_gradient_row);
        gradient(1, task.keys, task.width, task.key_gradient, task.key_gradient_row);
        gradient(2, task.keys, task.value_width, task.value_gradient, task.value_gradient_row);
        return task;
    };
    const auto run_head = [&](Attention task, std::int64_t head, const Desk& desk) {
        const auto move = [&]<class P>(P*& pointer, std::int64_t width) {
            using Element = std::conditional_t<std::is_const_v<P>, const T, T>;
            pointer = pointer == nullptr ? nullptr : static_cast<Element*>(pointer) + head * width;
        };
        move(task.query, task.width);
        move(task.key, task.width);
        move(task.value, task.value_width);
        move(task.out, task.value_width);
        move(task.out_gradient, task.value_width);
        move(task.query_gradient, task.width);
        move(task.key_gradient, task.width);
        move(task.value_gradient, task.value_width);
        task.scratch = desk.scratch;
        parts.flow == nullptr ? k.attention(task) : k.attention_gradient(task);
    };
    const auto run_units = [&](std::int64_t first, std::int64_t count, const Desk& desk) {
        Attention task;
        for (std::int64_t unit = first; unit < first + count; ++unit) {
            if (unit == first || unit % heads == 0) {
                task = first_head(unit / heads);
            }
            run_head(task, unit % heads, desk);
        }
    };
    share_units(op, memory, places.count() * heads, run_units);
}

}  // namespace

void run_attention(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    const Kernels& k = kernels(real);
    if (op.attending.in_parts) {
        real == DType::kF64 ? run_in_parts<double>(op, k, memory) : run_in_parts<float>(op, k, memory);
    } else {
        real == DType::kF64 ? run<double>(op, k, memory) : run<float>(op, k, memory);
    }
}

std::size_t attention_scratch(const Op& op, DType real) {
    if (op.attending.in_parts) {
        return kernels(real).shared_attention_scratch(shared_head_of(op, Parts(op)));
    }
    return kernels(real).attention_scratch(head_of(op, Parts(op)), op.code == Code::kAttentionGradient);
}

double attention_work(const Op& op) {
    const Parts parts(op);
    const std::int64_t keys = rows_of(*parts.key) + (op.attending.in_parts ? rows_of(*parts.own_key) : 0);
    const std::int64_t reached =
        op.attending.window > 0 ? std::min(keys, op.attending.window + rows_of(*parts.query)) : keys;
    const double products = op.code == Code::kAttentionGradient ? 2.5 : 1;
    const std::int64_t queries = parts.query->count() / std::max<std::int64_t>(parts.query->shape.back(), 1);
    return products * static_cast<double>(queries) *
           static_cast<double>(reached * (parts.key->shape.back() + parts.value->shape.back()));
}

}  // namespace tenon::compiled
