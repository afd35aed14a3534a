// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/known_programs.hpp"

#include <algorithm>

#include "engines/compiled/varying_sizes.hpp"

namespace tenon::compiled {
namespace {

constexpr std::size_t kMostPrograms = 16;
constexpr std::ptrdiff_t kMostExact = 3;  // single-size programs, before one program serves several sizes

bool are_equal(const Sizes& a, const Sizes& b) {
    return a.rows == b.rows && a.time == b.time && a.lanes == b.lanes;
}

auto is_made_for(const PhasePlan& plan) {
    return [&plan](const auto& each) { return each->plan == &plan; };
}

auto is_exactly_for(const PhasePlan& plan) {
    return [&plan](const auto& each) { return each->plan == &plan && each->span.along == nullptr; };
}

}  // namespace

Result<KnownPrograms::Found> KnownPrograms::find(const Request& request) {
    const auto found = std::ranges::find_if(known_, [&](const auto& each) {
        return each->plan == &request.plan && (are_equal(each->sizes, request.sizes) || serves(*each, request.sizes));
    });
    const bool is_new = found == known_.end();
    if (!is_new) {
        std::rotate(known_.begin(), found, found + 1);
    } else {
        std::unique_ptr<Specialised> made = TENON_TRY(make(request));
        known_.insert(known_.begin(), std::move(made));
        known_.resize(std::min(known_.size(), kMostPrograms));
    }
    Specialised& program = *known_.front();
    TENON_TRY(are_equal(program.sizes, request.sizes) ? Status() : resize(program, request.sizes));
    return Found{&program, is_new};
}

Result<std::unique_ptr<Specialised>> KnownPrograms::make(const Request& request) {
    const Span span = span_for(request);
    if (span.along != nullptr) {
        Result<std::unique_ptr<Specialised>> made = specialise_for(request, span);
        if (made) {
            std::erase_if(known_, is_exactly_for(request.plan));
            return made;
        }
        unserved_.emplace_back(&request.plan, span);
    }
    return specialise(request);
}

// Empty if the spec names no varying size and the sizes have not varied so far.
Span KnownPrograms::span_for(const Request& request) const {
    const auto may_serve = [&](const Span& span) {
        return span.along != nullptr && std::ranges::find(unserved_, std::pair(&request.plan, span)) == unserved_.end();
    };
    if (const Span all = span_up_to(request.sizes, request.spec.varying); may_serve(all)) {
        return all;
    }
    const auto have = std::ranges::find_if(known_, is_made_for(request.plan));
    const auto exact = std::ranges::count_if(known_, is_exactly_for(request.plan));
    const bool varies = std::ranges::count_if(known_, is_made_for(request.plan)) > exact;
    if (have == known_.end() || (!varies && exact < kMostExact)) {
        return {};
    }
    const Span span = span_around(request.sizes, (*have)->sizes);
    return may_serve(span) ? span : Span{};
}

}  // namespace tenon::compiled
