// SPDX-License-Identifier: Apache-2.0
// A value or the problem that prevented it. A subset of std::expected's names, so that it can become an alias of it.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/error/problem.hpp"

namespace tenon {

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Problem problem) : state_(std::in_place_index<1>, std::move(problem)) {}

    [[nodiscard]] bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    T& value() & { return *std::get_if<0>(&state_); }
    const T& value() const& { return *std::get_if<0>(&state_); }
    T&& value() && { return std::move(*std::get_if<0>(&state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    Problem& error() { return *std::get_if<1>(&state_); }
    const Problem& error() const { return *std::get_if<1>(&state_); }

private:
    std::variant<T, Problem> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    // Written out, because a defaulted constructor would make `return {}` clear the memory for the problem. This takes
    // longer than most calls that succeed in a steady loop.
    Result() {}
    Result(Problem problem) : problem_(std::move(problem)) {}

    [[nodiscard]] bool has_value() const { return !problem_; }
    explicit operator bool() const { return has_value(); }

    Problem& error() { return *problem_; }
    const Problem& error() const { return *problem_; }

private:
    std::optional<Problem> problem_;
};

using Status = Result<void>;

// The same; a problem gets this place.
template <class T>
Result<T> placed(Result<T> tried, const Place& place) {
    if (!tried) {
        tried.error().place = place;
    }
    return tried;
}

// Whether it has a value; its problem is added to the others.
template <class T>
bool is_done(const Result<T>& tried, Problems& problems) {
    if (!tried) {
        problems.push_back(tried.error());
    }
    return tried.has_value();
}

namespace detail {

inline void value_of(Status&& /*tried*/) {}

template <class T>
T value_of(Result<T>&& tried) {
    return *std::move(tried);
}

}  // namespace detail

}  // namespace tenon

// The value of a Result; its problem instead ends the enclosing function, which returns it:
//
//     Storage storage = TENON_TRY(make_storage(wiring));
//     TENON_TRY(lanes.bind(storage));
//
// It is a macro, and a statement within an expression, because C++20 has no other way to return from inside of one.
// Write it as a statement of its own or behind `=`, or as the argument of a call that has only this one.
#define TENON_TRY(...)                                     \
    __extension__({                                        \
        auto tenon_tried = (__VA_ARGS__);                  \
        if (!tenon_tried) {                                \
            return std::move(tenon_tried.error());         \
        }                                                  \
        ::tenon::detail::value_of(std::move(tenon_tried)); \
    })
