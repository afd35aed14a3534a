// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/varying_sizes.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>
#include <vector>

#include "compute/exec/rows.hpp"
#include "engines/compiled/program_numbers.hpp"

namespace tenon::compiled {
namespace {

constexpr std::int64_t kFewestRows = 16;  // fewer may compile to different operations

constexpr std::int64_t Sizes::* kEachSize[] = {&Sizes::rows, &Sizes::time, &Sizes::lanes};

Problem not_linear() {
    return plugin_problem("its shapes are not linear functions of the batch size");
}

bool has_room_for(const Tape& larger, const Tape& smaller) {
    return std::ranges::equal(larger.listing().buffers, smaller.listing().buffers, std::greater_equal(), &Buffer::size,
                              &Buffer::size);
}

Sizes resized_along(Sizes sizes, const Span& span, std::int64_t size) {
    sizes.*span.along = size;
    return sizes;
}

}  // namespace

Span span_around(const Sizes& sizes, const Sizes& other) {
    Span out;
    int differing = 0;
    for (const auto along : kEachSize) {
        if (sizes.*along != other.*along && sizes.*along > 0) {
            ++differing;
            out.along = along;
        }
    }
    const auto rows = static_cast<std::int64_t>(row_count(sizes));
    if (differing != 1 || rows < kFewestRows) {
        return {};
    }
    // The span goes from one power of 2 of rows to the next, so that less than half of the memory is unused.
    const std::int64_t each = rows / (sizes.*out.along);
    const auto from = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows)));
    out.smallest = (from + each - 1) / each;
    out.largest = (2 * from - 1) / each;
    return out.smallest < out.largest ? out : Span{};
}

Span span_up_to(const Sizes& sizes, const Varying& varying) {
    if (varying.size == nullptr || sizes.*varying.size < 1) {
        return {};
    }
    const std::int64_t size = sizes.*varying.size;
    const std::int64_t each = static_cast<std::int64_t>(row_count(sizes)) / size;
    // not 1: the views of a dimension of size 1 differ from those of other sizes, so one program cannot serve both
    const std::int64_t smallest = std::max<std::int64_t>((kFewestRows + each - 1) / each, 2);
    const bool is_inside = size >= smallest && size <= varying.most && smallest < varying.most;
    return is_inside ? Span{.along = varying.size, .smallest = smallest, .largest = varying.most} : Span{};
}

Result<std::unique_ptr<Specialised>> specialise_for(Request request, const Span& span) {
    request.varies = true;
    const Sizes asked = request.sizes;
    request.sizes = resized_along(asked, span, span.largest);
    std::unique_ptr<Specialised> out = TENON_TRY(specialise(request));
    request.like = out.get();
    const ProgramNumbers most = numbers_of(*out);
    std::vector<Following> all;
    for (std::int64_t* each : most.numbers) {
        all.push_back({.number = each, .at_none = *each, .by_each = 0});
    }
    // Two sizes give the slope of each number; a third one checks that it is linear.
    for (const std::int64_t size : {span.smallest, (span.smallest + span.largest) / 2}) {
        request.sizes = resized_along(asked, span, size);
        std::unique_ptr<Specialised> smaller = TENON_TRY(specialise(request));
        const ProgramNumbers less = numbers_of(*smaller);
        if (less.marks != most.marks || less.numbers.size() != most.numbers.size() ||
            !has_room_for(out->tape, smaller->tape)) {
            return not_linear();
        }
        const std::int64_t apart = span.largest - size;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::int64_t fewer = *most.numbers[i] - *less.numbers[i];
            if (size == span.smallest && apart > 0) {
                all[i].by_each = fewer / apart;
                all[i].at_none = *most.numbers[i] - all[i].by_each * span.largest;
            }
            if (all[i].by_each * apart != fewer) {
                return not_linear();
            }
        }
    }
    std::erase_if(all, [](const Following& each) { return each.by_each == 0; });
    out->span = span;
    out->following = std::move(all);
    return out;
}

bool serves(const Specialised& program, const Sizes& sizes) {
    const Span& span = program.span;
    return span.along != nullptr && sizes.*span.along >= span.smallest && sizes.*span.along <= span.largest &&
           std::ranges::all_of(kEachSize,
                               [&](auto along) { return along == span.along || sizes.*along == program.sizes.*along; });
}

Status resize(Specialised& program, const Sizes& sizes) {
    for (const Following& each : program.following) {
        *each.number = each.at_none + each.by_each * (sizes.*program.span.along);
    }
    program.sizes = sizes;
    return program.tape.resized();
}

}  // namespace tenon::compiled
