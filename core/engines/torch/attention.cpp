// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/kernel.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "engines/torch/align.hpp"

namespace tenon::reference {
namespace {

struct Options {
    std::int64_t heads;
    std::int64_t causal;
    std::int64_t window;
    double scale;
};

// The inputs from number `first` on: query, key, value, and which keys are allowed.
class Attended {
public:
    Attended(const Frame& k, Inputs in, std::size_t first, const Options& options)
        : k_(k), in_(in), first_(first), options_(options) {
        const double width = static_cast<double>(in[first].size(-1) / options.heads);
        factor_ = options.scale == 0 ? 1 / std::sqrt(width) : options.scale;
        query_ = by_head(first) * factor_;
        key_ = by_head(first + 1);
        value_ = by_head(first + 2);
    }

    // An input [.., rows, heads * width] as [.., heads, rows, width], with a size of 1 for each leading dimension that
    // it lacks.
    [[nodiscard]] at::Tensor by_head(std::size_t input) const {
        return among(k_.in[input], in_[input], k_.out.symbols()).unflatten(-1, {options_.heads, -1}).transpose(-3, -2);
    }

    [[nodiscard]] at::Tensor weights() const {
        const at::Tensor allowed = allowed_keys();
        const at::Tensor scores = at::matmul(query_, key_.transpose(-1, -2));
        if (!allowed.defined()) {
            return at::softmax(scores, -1);
        }
        const at::Tensor hidden = allowed.logical_not();  // as a finite number, because infinities alone would give NaN
        return at::softmax(scores.masked_fill(hidden, std::numeric_limits<float>::lowest()), -1).masked_fill(hidden, 0);
    }

    [[nodiscard]] double factor() const { return factor_; }
    [[nodiscard]] const at::Tensor& query() const { return query_; }  // scaled
    [[nodiscard]] const at::Tensor& key() const { return key_; }
    [[nodiscard]] const at::Tensor& value() const { return value_; }

private:
    // Which keys each query may attend to, [.., 1, queries, keys]; undefined if all.
    [[nodiscard]] at::Tensor allowed_keys() const {
        const std::int64_t queries = in_[first_].size(-2);
        const std::int64_t keys = in_[first_ + 1].size(-2);
        const at::Tensor key = at::arange(keys, in_[first_].options().dtype(at::kLong));
        at::Tensor out;
        const auto restrict_to = [&out](const at::Tensor& which) {
            out = out.defined() ? out.logical_and(which) : which;
        };
        if (options_.causal != 0) {
            const at::Tensor own = at::arange(keys - queries, keys, key.options()).unsqueeze(-1);
            restrict_to(key.le(own));
            if (options_.window > 0) {
                restrict_to(key.gt(own - options_.window));
            }
        }
        if (const std::size_t last = first_ + 3; in_.size() > last) {
            at::Tensor given = among(k_.in[last], in_[last], k_.out.symbols());
            const std::size_t sizes = k_.in[last].sizes().size();
            if (k_.in[last].kind == graph::Kind::kInt) {
                given = (sizes == 0 ? given.unsqueeze(-1) : given).unsqueeze(-1);
                restrict_to(key.ge(given.unsqueeze(-3)));
            } else {
                restrict_to((sizes == 1 ? given.unsqueeze(-2) : given).unsqueeze(-3));
            }
        }
        return out;
    }

    const Frame& k_;
    Inputs in_;
    std::size_t first_;
    Options options_;
    double factor_ = 1;
    at::Tensor query_;
    at::Tensor key_;
    at::Tensor value_;
};

at::Tensor by_row(const at::Tensor& heads) {
    return heads.transpose(-3, -2).flatten(-2);
}

// Sums the copies of each row in windows [.., steps, .., window, width]: the last one of its own step's window, and
// earlier ones of the windows of later steps.
at::Tensor summed_windows(const at::Tensor& windows, std::int64_t time) {
    const std::int64_t steps = windows.size(time);
    const std::int64_t last = windows.size(-2) - 1;
    at::Tensor out = windows.select(-2, last).clone();
    for (std::int64_t later = 1; later <= std::min(last, steps - 1); ++later) {
        out.narrow(time, 0, steps - later) += windows.select(-2, last - later).narrow(time, later, steps - later);
    }
    return out;
}

}  // namespace

at::Tensor attention(const Frame& k, Inputs in, std::int64_t heads, std::int64_t causal, std::int64_t window,
                     double scale) {
    const Attended attended(k, in, 0, {heads, causal, window, scale});
    return by_row(at::matmul(attended.weights(), attended.value()));
}

at::Tensor attention_gradient(const Frame& k, Inputs in, std::int64_t heads, std::int64_t causal, std::int64_t window,
                              double scale, std::int64_t wanted, std::int64_t over_time) {
    const Attended attended(k, in, 1, {heads, causal, window, scale});
    const at::Tensor flow = attended.by_head(0);
    const at::Tensor weights = attended.weights();
    const at::Tensor of_weights = at::matmul(flow, attended.value().transpose(-1, -2));
    const at::Tensor slopes = weights * (of_weights - (weights * of_weights).sum(-1, /*keepdim=*/true));
    const std::array<at::Tensor, 3> gradients = {at::matmul(slopes, attended.key()) * attended.factor(),
                                                 at::matmul(slopes.transpose(-1, -2), attended.query()),
                                                 at::matmul(weights.transpose(-1, -2), flow)};
    std::vector<std::int64_t> leading = weights.sizes().vec();
    leading.resize(leading.size() - 3);
    std::vector<at::Tensor> parts;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        if ((wanted >> i & 1) != 0) {
            std::vector<std::int64_t> shape = leading;
            shape.insert(shape.end(), {in[1 + i].size(-2), in[1 + i].size(-1)});
            const at::Tensor part = by_row(gradients[i]).expand(shape);
            parts.push_back(over_time != 0 && i > 0 ? summed_windows(part, position_of(k.out, graph::kTime))
                                                    : part.flatten(-2));
        }
    }
    return at::cat(parts, -1);
}

}  // namespace tenon::reference
