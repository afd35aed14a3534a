// SPDX-License-Identifier: Apache-2.0
#include "fused_authors.hpp"

#include <array>
#include <map>
#include <span>
#include <string>

#include "made.hpp"
#include "plugins/plugin/error_text.hpp"
#include "tenon/fused.hpp"
#include "tenon/region.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

enum class How {
    kBody,
    kSecret,
    kWrongBackward,
    kWrongSecret,
    kWrongForward,
    kOnlyDouble,
    kFails,
    kNoBackward,
    kUnknown,
    kTwoInputs,
    kThreeOutputs,
    kReads,
    kNoSizes,
    kScans,
    kImage,
    kWrongImage,
    kOpByOp
};

struct Powers {
    template <class Real>
    static void forward(const tenon::FusedForward<Real>& k) {
        const Real s = k.in(1)[0];
        for (std::size_t i = 0; i < k.rows(); ++i) {
            const Real x = k.in(0)[i];
            k.out(0)[i] = s * x * x;
            k.out(1)[i] = x * x * x;
        }
    }
    template <class Real>
    static void backward(const tenon::FusedBackward<Real>& k) {
        const Real s = k.in(1)[0];
        Real by_s = 0;
        for (std::size_t i = 0; i < k.rows(); ++i) {
            const Real x = k.in(0)[i];
            const Real first = k.flows(0) ? k.out_gradient(0)[i] : Real(0);
            const Real second = k.flows(1) ? k.out_gradient(1)[i] : Real(0);
            if (k.wants(0)) {
                k.in_gradient(0)[i] = 2 * s * x * first + 3 * x * x * second;
            }
            by_s += x * x * first;
        }
        if (k.wants(1)) {
            k.in_gradient(1)[0] = by_s;
        }
    }
};

// Where it is wrong it is so for some rows only.
struct PowersWrong : Powers {
    template <class Real>
    static void backward(const tenon::FusedBackward<Real>& k) {
        Powers::backward(k);
        if (k.wants(0)) {
            k.in_gradient(0)[0] *= Real(1.5);
        }
    }
};

struct Cubes : Powers {
    template <class Real>
    static void forward(const tenon::FusedForward<Real>& k) {
        Powers::forward(k);
        k.out(1)[k.rows() - 1] += Real(0.25);
    }
};

struct PowersInDouble {
    static void forward(const tenon::FusedForward<double>& k) { Powers::forward(k); }
    static void backward(const tenon::FusedBackward<double>& k) { Powers::backward(k); }
};

struct Failing : Powers {
    template <class Real>
    static void forward(const tenon::FusedForward<Real>& /*k*/) {
        throw tenon::InvalidArgument("the moon is in the wrong house");
    }
};

struct Forward {
    template <class Real>
    static void forward(const tenon::FusedForward<Real>& k) {
        Powers::forward(k);
    }
};

template <How how>
constexpr auto powers() {
    if constexpr (how == How::kWrongBackward || how == How::kWrongSecret || how == How::kWrongImage) {
        return tenon::kernel<PowersWrong>("powers", 2, 2);
    } else if constexpr (how == How::kWrongForward) {
        return tenon::kernel<Cubes>("powers", 2, 2);
    } else if constexpr (how == How::kOnlyDouble) {
        return tenon::kernel<PowersInDouble>("powers", 2, 2);
    } else if constexpr (how == How::kFails) {
        return tenon::kernel<Failing>("powers", 2, 2);
    } else if constexpr (how == How::kNoBackward) {
        return tenon::kernel<Forward>("powers", 2, 2);
    } else {
        return tenon::kernel<Powers>("powers", 2, 2);
    }
}

std::array<Value, 2> by_ops(std::span<const Value> in) {
    return {in[1] * square(in[0]), in[0] * in[0] * in[0]};
}

constexpr std::uint32_t kBeforeKernel = __LINE__;
std::array<Value, 2> by_kernel(const Value& x, const Value& s) {
    return tenon::fused("powers", {x, s}, by_ops);
}

template <How how>
struct Objective {
    static std::array<Value, 2> outputs(const Graph& g, const Value& x, const Value& s) {
        if constexpr (how == How::kOpByOp) {
            return by_ops(std::array{x, s});
        } else if constexpr (how == How::kSecret || how == How::kWrongSecret) {
            return tenon::fused<2>("powers", {x, s}, {{}, {}});
        } else if constexpr (how == How::kUnknown) {
            return tenon::fused("power", {x, s}, by_ops);
        } else if constexpr (how == How::kTwoInputs) {
            return tenon::fused("powers", {x, s, 1}, by_ops);
        } else if constexpr (how == How::kThreeOutputs) {
            const auto three = tenon::fused(
                "powers", {x, s}, [](std::span<const Value> in) { return std::array{in[0], in[0] + 1, in[0] + 2}; });
            return {three[0], three[1]};
        } else if constexpr (how == How::kReads) {
            return tenon::fused("powers", {x, s}, [&](std::span<const Value> in) {
                return std::array{in[0] * g.batch()["reward"], in[1] * in[0]};
            });
        } else if constexpr (how == How::kNoSizes) {
            return tenon::fused<2>("powers", {x, s}, {{}});
        } else if constexpr (how == How::kScans) {
            tenon::scan({}, {x}, [&](std::span<const Value> in) {
                const auto made = by_kernel(in[0], s);
                return std::vector<Value>{made[0]};
            });
            return {x, x};
        } else if constexpr (how == How::kImage || how == How::kWrongImage) {
            return tenon::fused("powers", {x, s}, [](std::span<const Value> in) {
                const auto picture = [](Value of) { return unsqueeze(unsqueeze(unsqueeze(of))); };
                const Value scaled = conv2d(picture(square(in[0])), unsqueeze(picture(in[1])));
                return std::array{squeeze(squeeze(squeeze(scaled))), in[0] * in[0] * in[0]};
            });
        } else {
            return by_kernel(x, s);
        }
    }

    void update(const Graph& g) const {
        const Value x = g.network("net")(g.batch()).value();
        const auto [squares, cubes] = outputs(g, x, g.parameter("scale", {}, tenon::constant(1.5)));
        g.rows("squares", squares);
        g.rows("cubes", 0.5 * cubes * g.batch()["reward"]);
        g.metric("cubes", batch_mean(cubes));
    }

    static constexpr auto fused_kernels = std::tuple{powers<how>()};
};

struct Ramp {
    template <class Real>
    static void forward(const tenon::FusedForward<Real>& k) {
        for (std::size_t i = 0; i < k.rows(); ++i) {
            k.out(0)[i] = k.in(0)[i] > 0 ? k.in(0)[i] : Real(0);
        }
    }
    template <class Real>
    static void backward(const tenon::FusedBackward<Real>& k) {
        for (std::size_t i = 0; i < k.rows(); ++i) {
            k.in_gradient(0)[i] = k.in(0)[i] >= 0 ? k.out_gradient(0)[i] : Real(0);
        }
    }
};

template <bool has_body>
struct Kinked {
    void update(const Graph& g) const {
        const Value x = g.network("net")(g.batch()).value();
        if constexpr (has_body) {
            g.rows("ramp", tenon::fused("ramp", {x}, [](std::span<const Value> in) { return max(in[0], 0); }));
        } else {
            g.rows("ramp", tenon::fused<1>("ramp", {x}, {{}})[0]);
        }
    }
    static constexpr auto fused_kernels = std::tuple{tenon::kernel<Ramp>("ramp", 1, 1)};
};

// A penalty on the slope of a kernel, which has one if it has a body.
template <bool has_body>
struct Slopes {
    void update(const Graph& g) const {
        const Value x = g.network("net")(g.batch()).value();
        Value out;
        if constexpr (has_body) {
            out = tenon::fused("ramp", {x}, [](std::span<const Value> in) { return max(in[0], 0); });
        } else {
            out = tenon::fused<1>("ramp", {x}, {{}})[0];
        }
        g.rows("slope", square(gradient(square(out), x) - 1.0));
    }
    static constexpr auto fused_kernels = std::tuple{tenon::kernel<Ramp>("ramp", 1, 1)};
};

tn_host telling_host() {
    tn_host host = tenon::test::quiet_host();
    host.set_error = [](void* /*ctx*/, tn_status /*status*/, tn_str text) { tenon::keep_error(text); };
    return host;
}

}  // namespace

namespace tenon::test {

Author fused_author(const char* name) {
    static const std::map<std::string, Author> kAuthors = {{"OpByOp", made<Objective<How::kOpByOp>>()},
                                                           {"Body", made<Objective<How::kBody>>()},
                                                           {"Secret", made<Objective<How::kSecret>>()},
                                                           {"WrongBackward", made<Objective<How::kWrongBackward>>()},
                                                           {"WrongSecret", made<Objective<How::kWrongSecret>>()},
                                                           {"WrongForward", made<Objective<How::kWrongForward>>()},
                                                           {"OnlyDouble", made<Objective<How::kOnlyDouble>>()},
                                                           {"Fails", made<Objective<How::kFails>>(telling_host())},
                                                           {"NoBackward", made<Objective<How::kNoBackward>>()},
                                                           {"Unknown", made<Objective<How::kUnknown>>()},
                                                           {"TwoInputs", made<Objective<How::kTwoInputs>>()},
                                                           {"ThreeOutputs", made<Objective<How::kThreeOutputs>>()},
                                                           {"Reads", made<Objective<How::kReads>>()},
                                                           {"NoSizes", made<Objective<How::kNoSizes>>()},
                                                           {"Scans", made<Objective<How::kScans>>()},
                                                           {"Image", made<Objective<How::kImage>>()},
                                                           {"WrongImage", made<Objective<How::kWrongImage>>()},
                                                           {"Kinked", made<Kinked<true>>()},
                                                           {"KinkedSecret", made<Kinked<false>>()},
                                                           {"SlopesBody", made<Slopes<true>>()},
                                                           {"SlopesSecret", made<Slopes<false>>()}};
    const auto found = kAuthors.find(name);
    return found == kAuthors.end() ? Author{} : found->second;
}

std::uint32_t line_of_kernel() {
    return kBeforeKernel + 2;
}

}  // namespace tenon::test
