// SPDX-License-Identifier: Apache-2.0
#include "derivative_authors.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

#include "fused_authors.hpp"
#include "made.hpp"
#include "tenon/norms.hpp"
#include "tenon/objective.hpp"
#include "tenon/region.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

enum class Body { kTanh, kRelu, kNorm, kSoftmax, kConv, kTransposed, kPool, kAttention, kRows, kSteps };

constexpr std::int64_t kSize = 32;

Value weight(const Graph& g, const char* name, std::initializer_list<std::int64_t> shape) {
    return g.parameter(name, shape, tenon::normal(0.4));
}

Value last(const Graph& g, Value x, std::int64_t size) {
    return squeeze(linear(reshape(x, {size}), weight(g, "last", {1, size})));
}

// One number a row, of 32 numbers a row.
template <Body body>
Value answer(const Graph& g, Value x) {
    if constexpr (body == Body::kConv) {
        return last(
            g, tanh(conv2d(reshape(x, {2, 4, 4}), weight(g, "filter", {3, 2, 3, 3}), weight(g, "bias", {3}), 2, 1)),
            12);
    } else if constexpr (body == Body::kTransposed) {
        return last(g,
                    tanh(conv_transpose2d(reshape(x, {2, 4, 4}), weight(g, "filter", {2, 3, 3, 3}),
                                          weight(g, "bias", {3}), 2, 1)),
                    147);
    } else if constexpr (body == Body::kPool) {
        const Value image = softplus(conv2d(reshape(x, {2, 4, 4}), weight(g, "filter", {3, 2, 3, 3}), 1, 1));
        return last(g, max_pool2d(square(image), 2, 2, 0), 12);
    } else if constexpr (body == Body::kAttention) {
        const Value rows = reshape(x, {8, 4});
        const auto by = [&](const char* name) { return linear(rows, weight(g, name, {4, 4})); };
        return last(g, tanh(attention(by("query"), by("key"), by("value"), 2, 1)), kSize);
    } else {
        const Value h = linear(x, weight(g, "first", {5, kSize}), weight(g, "bias", {5}));
        if constexpr (body == Body::kRelu) {
            return last(g, relu(h), 5);
        } else if constexpr (body == Body::kNorm) {
            return last(g, tanh(layer_norm(g, "norm", h)), 5);
        } else if constexpr (body == Body::kSoftmax) {
            return sum(softmax(h) * tanh(linear(x, weight(g, "other", {5, kSize}))));
        } else if constexpr (body == Body::kRows) {
            const Value off = h - mean_rows(h);
            return last(g, tanh(off / sqrt(mean_rows(square(off)) + 0.1)), 5);
        } else if constexpr (body == Body::kSteps) {
            const Value again = weight(g, "again", {5, 5});
            const auto out = scan(tenon::Steps{"thinking", 3}, {h}, {}, [&](std::span<const Value> in) {
                return std::vector<Value>{tanh(linear(in[0], again) + 0.5 * h)};
            });
            return last(g, pick(out[0], 2, "thinking"), 5);
        } else {
            return last(g, tanh(h), 5);
        }
    }
}

template <Body body>
struct Penalises {
    void update(const Graph& g) const {
        const Value x = g.batch()["x"];
        const Value slope = gradient(answer<body>(g, x), x);
        g.rows("penalty", square(sqrt(sum(square(slope))) - 1.0));
        g.write("slope", slope);
    }
};

// The square of the product of the Hessian and a direction, by all parameters of a network at once.
struct Curves {
    void update(const Graph& g) const {
        const auto net = g.network("net");
        const auto batch = g.batch();
        static_cast<void>(net(batch).value());
        const Value theta = net.parameters();
        const Value error = net(batch).with("parameters", theta).value() - sum(batch["x"]);
        const Value slope = gradient(batch_mean(square(error)), theta);
        const Value direction = g.parameter("direction", tenon::sizes_of(theta), tenon::normal(1));
        const Value product = gradient(sum(slope * direction), theta);
        g.stage("all", {.owns = {"net", "objective"}});
        g.rows("all.product", sum(square(product)));
    }
};

// In a scan, the gradient is that of the step: three steps of descent, unrolled or in a loop.
template <bool looped>
struct Descends {
    void update(const Graph& g) const {
        const Value start = g.batch()["x"];
        const Value first = weight(g, "first", {5, kSize});
        const auto step = [&](Value x) {
            return x - 0.3 * gradient(sum(square(tanh(linear(x, first)))) + sum(square(x - start)), x);
        };
        Value x = start;
        if (looped) {
            const auto body = [&](std::span<const Value> in) { return std::vector<Value>{step(in[0])}; };
            x = pick(scan(tenon::Steps{"descent", 3}, {x}, {}, body)[0], 2, "descent");
        } else {
            x = step(step(step(x)));
        }
        g.rows("reached", sum(x * x * x));
        g.write("reached", x);
    }
};

// A network with a memory, whose step climbs an energy.
struct Climbing {
    static Value layer(const Graph& g, const char* name, Value x) { return tanh(linear(x, weight(g, name, {3, 3}))); }

    [[nodiscard]] Value climbed(const Graph& g) const {
        const Value seen = layer(g, "cell", g.batch()["x"] + g.memory("trace", {3}));
        const Value next = seen + 0.5 * gradient(sum(square(layer(g, "energy", seen))), seen);
        g.remember("trace", next);
        return next;
    }
    // The weight also makes a value of all steps, which the host computes before it begins with the first one.
    [[nodiscard]] Value by_weight(const Graph& g) const {
        const Value cell = weight(g, "cell", {3, 3});
        const Value next = tanh(linear(g.batch()["x"], cell) + g.memory("trace", {3}));
        g.remember("trace", next);
        return sum(gradient(sum(next), cell));
    }
    static constexpr auto functions = std::tuple{tenon::function<&Climbing::climbed>("climbed", "", "climbed"),
                                                 tenon::function<&Climbing::by_weight>("by_weight", "", "by_weight")};
};

template <bool by_weight>
struct WeighsCurves {
    void update(const Graph& g) const {
        g.stage("all", {.owns = {"net"}});
        const Value out = g.network("net")(g.batch()).call<1>(by_weight ? "by_weight" : "climbed", {})[0];
        g.rows("all.loss", by_weight ? out : sum(out * out * out));
    }
};

struct WrongCurves {
    void update(const Graph& g) const {
        const Value x = g.batch()["x"];
        const Value y = tanh(x) * g.parameter("scale", {}, tenon::constant(2));
        const auto net = g.network("net");
        gradient(y, x);                       // not one number a row
        gradient(sum(y), argmax(x));          // by an int
        gradient(sum(y), square(x));          // no ancestor
        gradient(sum(stop_gradient(y)), x);   // no path with a gradient
        static_cast<void>(net.parameters());  // none has been read
        static_cast<void>(net(g.batch()).value());
        const Value theta = net.parameters();
        static_cast<void>(net(g.batch()).with("parameters", concat(theta, theta)).value());
        net.set_parameters(theta);  // in an update
        scan(tenon::Steps{"outer", 2}, {x}, {}, [&](std::span<const Value> in) {
            const auto inner = scan(tenon::Steps{"inner", 2}, {in[0]}, {},
                                    [](std::span<const Value> of) { return std::vector<Value>{tanh(of[0])}; });
            return std::vector<Value>{gradient(sum(pick(inner[0], 1, "inner")), in[0])};
        });
        g.rows("loss", sum(y));
    }
};

}  // namespace

namespace tenon::test {

Author derivative_author(const char* name) {
    static const std::map<std::string, Author> authors = {{"PenalisesTanh", made<Penalises<Body::kTanh>>()},
                                                          {"PenalisesRelu", made<Penalises<Body::kRelu>>()},
                                                          {"PenalisesNorm", made<Penalises<Body::kNorm>>()},
                                                          {"PenalisesSoftmax", made<Penalises<Body::kSoftmax>>()},
                                                          {"PenalisesConv", made<Penalises<Body::kConv>>()},
                                                          {"PenalisesTransposed", made<Penalises<Body::kTransposed>>()},
                                                          {"PenalisesPool", made<Penalises<Body::kPool>>()},
                                                          {"PenalisesAttention", made<Penalises<Body::kAttention>>()},
                                                          {"PenalisesRows", made<Penalises<Body::kRows>>()},
                                                          {"PenalisesSteps", made<Penalises<Body::kSteps>>()},
                                                          {"Curves", made<Curves>()},
                                                          {"Descends", made<Descends<true>>()},
                                                          {"DescendsUnrolled", made<Descends<false>>()},
                                                          {"Climbing", instance_of<tenon::GraphComponent<Climbing>>()},
                                                          {"WeighsClimb", made<WeighsCurves<false>>()},
                                                          {"WeighsByWeight", made<WeighsCurves<true>>()},
                                                          {"DifferentiatesWrongly", made<WrongCurves>()}};
    const auto found = authors.find(name);
    return found == authors.end() ? Author{} : found->second;
}

}  // namespace tenon::test
