// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/readout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "compute/exec/rows.hpp"
#include "engines/compiled/loop.hpp"

namespace tenon::compiled {
namespace {

const std::byte* base_of(const Tape& tape, const View& view) {
    return static_cast<const std::byte*>(tape.bases()[view.buffer]);
}

// Calls f(element) for all elements in order, until it returns false.
template <class T, class F>
bool each_as(const Tape& tape, const View& view, const F& f) {
    std::array<T, kBlock> block;
    const std::int64_t count = view.count();
    for (std::int64_t from = 0; from < count; from += kBlock) {
        const std::int64_t size = std::min(kBlock, count - from);
        bring(view, base_of(tape, view), sizeof(T), from, size, reinterpret_cast<std::byte*>(block.data()));
        for (std::int64_t i = 0; i < size; ++i) {
            if (!f(block[static_cast<std::size_t>(i)])) {
                return false;
            }
        }
    }
    return true;
}

template <class F>
bool each(const Tape& tape, const Seen& value, const F& f) {
    switch (value.kind) {
        case Kind::kInt:
            return each_as<std::int64_t>(tape, value.view, f);
        case Kind::kBool:
            return each_as<std::uint8_t>(tape, value.view, f);
        default:
            return tape.real() == DType::kF64 ? each_as<double>(tape, value.view, f)
                                              : each_as<float>(tape, value.view, f);
    }
}

}  // namespace

double mean_of(const Tape& tape, const Seen& value) {
    double total = 0;
    each(tape, value, [&](auto element) {
        total += static_cast<double>(element);
        return true;
    });
    return total / static_cast<double>(value.view.count());
}

std::vector<double> elements_of(const Tape& tape, const Seen& value) {
    std::vector<double> out;
    each(tape, value, [&](auto element) {
        out.push_back(static_cast<double>(element));
        return true;
    });
    return out;
}

// NaN if an element is NaN.
ValueRange range_of(const Tape& tape, const Seen& value) {
    ValueRange out{.least = std::numeric_limits<double>::infinity(), .most = -std::numeric_limits<double>::infinity()};
    each(tape, value, [&](auto element) {
        const auto number = static_cast<double>(element);
        out.least = std::isnan(number) ? number : std::min(out.least, number);
        out.most = std::isnan(number) ? number : std::max(out.most, number);
        return !std::isnan(number);
    });
    return out;
}

bool is_true(const Tape& tape, const Seen& value) {
    return each(tape, value, [](auto element) { return element != 0; });
}

bool is_finite(const Tape& tape, const Seen& value) {
    return each(tape, value, [](auto element) { return std::isfinite(static_cast<double>(element)); });
}

void write_rows(const Tape& tape, const Seen& value, DType dtype, void* memory) {
    if (dtype == stored_as(value.kind, tape.real())) {
        bring(value.view, base_of(tape, value.view), size_of(dtype), 0, value.view.count(),
              static_cast<std::byte*>(memory));
        return;
    }
    const auto fill = [&](auto* out) {
        each(tape, value, [&](auto element) {
            *out++ = static_cast<std::remove_pointer_t<decltype(out)>>(element);
            return true;
        });
    };
    switch (dtype) {
        case DType::kF32:
            return fill(static_cast<float*>(memory));
        case DType::kF64:
            return fill(static_cast<double*>(memory));
        case DType::kI64:
            return fill(static_cast<std::int64_t*>(memory));
        case DType::kI32:
            return fill(static_cast<std::int32_t*>(memory));
        case DType::kU8:
            return fill(static_cast<std::uint8_t*>(memory));
        case DType::kBool:
            return fill(static_cast<bool*>(memory));
    }
}

std::optional<std::size_t> first_bad_gradient(const Specialised& at, std::size_t place) {
    const std::vector<Seen>& gradients = at.gradients[place];
    const auto bad = std::ranges::find_if(
        gradients, [&](const Seen& seen) { return seen.view.buffer != 0 && !is_finite(at.tape, seen); });
    return bad == gradients.end() ? std::nullopt : std::optional(static_cast<std::size_t>(bad - gradients.begin()));
}

void store_gradients(const Specialised& at, std::size_t place, bool add, Learner& learner,
                     std::vector<std::byte>& more) {
    const std::size_t bytes = bytes_of(Kind::kReal, learner.real);
    const StageRun& run = at.plan->sequence[place];
    for (std::size_t i = 0; i < run.parameters.size(); ++i) {
        Network& network = learner.networks[run.parameters[i].network];
        const Parameter& parameter = network.layout.parameters[run.parameters[i].parameter];
        std::byte* to = network.gradient.as<std::byte>() + parameter.offset * bytes;
        const View& view = at.gradients[place][i].view;
        const auto count = static_cast<std::int64_t>(parameter.size);
        if (view.buffer == 0) {
            if (!add) {
                std::memset(to, 0, parameter.size * bytes);
            }
            continue;
        }
        if (!add) {
            if (base_of(at.tape, view) != to) {
                bring(view, base_of(at.tape, view), bytes, 0, count, to);
            }
            continue;
        }
        more.resize(std::max(more.size(), parameter.size * bytes));
        bring(view, base_of(at.tape, view), bytes, 0, count, more.data());
        const auto width = static_cast<std::int64_t>(parameter.size);
        kernels(learner.real).sum_onto(to, {.x = more.data(), .stride = 0, .rows = 1, .width = width});
    }
}

void commit_states(const Specialised& at, Learner& learner, std::vector<std::byte>& more) {
    const std::size_t bytes = bytes_of(Kind::kReal, learner.real);
    std::size_t all = 0;
    for (const SeenState& write : at.states) {
        all += static_cast<std::size_t>(write.value.view.count()) * bytes;
    }
    more.resize(std::max(more.size(), all));
    std::byte* values = more.data();
    for (const SeenState& write : at.states) {
        const View& view = write.value.view;
        bring(view, base_of(at.tape, view), bytes, 0, view.count(), values);
        values += static_cast<std::size_t>(view.count()) * bytes;
    }
    values = more.data();
    for (const SeenState& write : at.states) {
        Network& network = learner.networks[write.network];
        const Parameter& parameter = network.layout.parameters[write.parameter];
        std::memcpy(network.live.as<std::byte>() + parameter.offset * bytes, values, parameter.size * bytes);
        values += parameter.size * bytes;
    }
}

}  // namespace tenon::compiled
