// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/outcome.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>

#include "base/data/dtype.hpp"
#include "compute/exec/rows.hpp"
#include "compute/exec/stage_step.hpp"

namespace tenon {
namespace {

template <class T>
std::vector<double> as_doubles(const std::vector<std::byte>& slab) {
    std::vector<T> numbers(slab.size() / sizeof(T));
    std::memcpy(numbers.data(), slab.data(), numbers.size() * sizeof(T));
    return {numbers.begin(), numbers.end()};
}

std::vector<double> numbers_of(const std::vector<std::byte>& slab, DType real) {
    return real == DType::kF64 ? as_doubles<double>(slab) : as_doubles<float>(slab);
}

template <class T>
Distance distance_of(const std::vector<std::byte>& ours, const std::vector<std::byte>& theirs) {
    Distance out;
    for (std::size_t at = 0; at + sizeof(T) <= ours.size(); at += sizeof(T)) {
        T a;
        T b;
        std::memcpy(&a, &ours[at], sizeof(T));
        std::memcpy(&b, &theirs[at], sizeof(T));
        const auto x = static_cast<double>(a);
        const auto y = static_cast<double>(b);
        if (a == b || (std::isnan(x) && std::isnan(y))) {
            continue;
        }
        // large integers that are close may be the same double
        const double apart = std::is_integral_v<T> ? std::max(1.0, std::abs(x - y)) : std::abs(x - y);
        out.most = std::isfinite(apart) ? std::max(out.most, apart) : std::numeric_limits<double>::infinity();
        out.scale = std::isfinite(y) ? std::max(out.scale, std::abs(y)) : out.scale;
    }
    return out;
}

std::string numbers(double ours, double theirs, Sides sides) {
    std::array<char, 64> text{};
    const auto number = [&](double value) {
        std::snprintf(text.data(), text.size(), "%.9g ", value);
        return std::string(text.data());
    };
    return number(ours).append(sides.ours) + ", " + number(theirs).append(sides.theirs);
}

double norm(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) {
        sum += value * value;
    }
    return std::sqrt(sum);
}

// Numbers of one group are compared relative to the largest of them: a number near 0 is often a sum of others that
// cancel.
std::optional<std::size_t> differing_number(const std::vector<double>& ours, const std::vector<double>& theirs,
                                            double most) {
    double scale = 1;
    for (const double value : theirs) {
        scale = std::isfinite(value) ? std::max(scale, std::abs(value)) : scale;
    }
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const bool same = std::isfinite(ours[i]) && std::isfinite(theirs[i])
                              ? std::abs(ours[i] - theirs[i]) <= most * scale
                              : std::isfinite(ours[i]) == std::isfinite(theirs[i]);
        if (!same) {
            return i;
        }
    }
    return std::nullopt;
}

std::optional<std::string> differing_gradient(const Outcome& ours, const Outcome& theirs, const graph::Graph& graph,
                                              std::span<const StagePlan> stages, const Learner& learner, Sides sides) {
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        const double most = tolerance(learner.real) * norm(theirs.gradients[stage]);
        std::size_t start = 0;
        for (const std::uint32_t network : stages[stage].owned) {
            const NetworkLayout& layout = learner.networks[network].layout;
            for (const Parameter& parameter : layout.parameters) {
                if (!parameter.trainable) {
                    continue;
                }
                const std::size_t first = start + parameter.offset;
                const auto a = std::span(ours.gradients[stage]).subspan(first, parameter.size);
                const auto b = std::span(theirs.gradients[stage]).subspan(first, parameter.size);
                std::vector<double> apart(a.size());
                std::ranges::transform(a, b, apart.begin(), std::minus());
                if (!(norm(apart) <= most)) {
                    return "the gradient of the stage '" + graph.stages[stage].name +
                           "' with respect to the parameter '" + parameter.name + "' of '" + layout.role +
                           "' has the norm " + numbers(norm(a), norm(b), sides);
                }
            }
            start += layout.trainable_size;
        }
    }
    return std::nullopt;
}

}  // namespace

Outcome try_out(Program& program, const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner,
                const Call& call) {
    Outcome out{.status = {},
                .losses = std::vector<double>(call.results.losses.size()),
                .metrics = std::vector<double>(call.results.metrics.size()),
                .controls = std::vector<double>(call.results.controls.size()),
                .outputs = std::vector<std::vector<std::byte>>(call.outputs.size()),
                .gradients = {}};
    std::vector<void*> columns(call.outputs.size(), nullptr);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (call.outputs[i] != nullptr) {
            const graph::Type& type = spec.graph->type(spec.graph->writes[i].value);
            out.outputs[i].resize(written_count(type, *spec.graph, learner, call.sizes) *
                                  size_of(spec.outputs[i].dtype));
            columns[i] = out.outputs[i].data();
        }
    }
    std::vector<double> norms(call.results.gradient_norms.size());
    std::vector<std::vector<std::byte>> slabs;
    std::vector<void*> gradients;
    for (const StagePlan& stage : stages) {
        slabs.emplace_back(gradient_bytes(stage, learner));
        gradients.push_back(slabs.back().data());
    }
    Call dry = call;
    dry.outputs = columns;
    dry.part.mode = call.part.has_gradients() ? StepMode::kDryGradients : StepMode::kDryTerms;
    dry.leeway = Leeway::kNone;
    dry.results = {.losses = out.losses,
                   .metrics = out.metrics,
                   .gradient_norms = norms,
                   .controls = out.controls,
                   .gradients = gradients};
    dry.give_up = nullptr;
    if (Result<Computed*> done = program.run(dry); !done) {
        out.status = std::move(done.error());
    }
    for (const std::vector<std::byte>& slab : slabs) {
        out.gradients.push_back(numbers_of(slab, learner.real));
    }
    return out;
}

double tolerance(DType real) {
    return real == DType::kF64 ? 1e-9 : 1e-3;
}

Distance distance(const std::vector<std::byte>& ours, const std::vector<std::byte>& theirs, DType dtype) {
    return with_element(dtype, [&](auto zero) { return distance_of<decltype(zero)>(ours, theirs); });
}

std::optional<std::string> difference(const Outcome& ours, const Outcome& theirs, const ProgramSpec& spec,
                                      std::span<const StagePlan> stages, const Learner& learner, Sides sides) {
    const double most = tolerance(learner.real);
    for (const auto& [what, a, b, names] :
         {std::tuple{"the loss '", &ours.losses, &theirs.losses,
                     static_cast<const std::vector<graph::Named>*>(nullptr)},
          std::tuple{"the metric '", &ours.metrics, &theirs.metrics, &spec.graph->metrics},
          std::tuple{"the control '", &ours.controls, &theirs.controls, &spec.graph->controls}}) {
        if (const auto at = differing_number(*a, *b, most)) {
            const std::string& name = names == nullptr ? spec.graph->losses[*at].name : (*names)[*at].name;
            return what + name + "' is " + numbers((*a)[*at], (*b)[*at], sides);
        }
    }
    for (std::size_t i = 0; i < ours.outputs.size(); ++i) {
        const Distance apart = distance(ours.outputs[i], theirs.outputs[i], spec.outputs[i].dtype);
        if (apart.most > most * (1 + apart.scale)) {
            return "the column '" + spec.outputs[i].key + "' differs by " + std::to_string(apart.most);
        }
    }
    return differing_gradient(ours, theirs, *spec.graph, stages, learner, sides);
}

}  // namespace tenon
