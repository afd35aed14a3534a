// SPDX-License-Identifier: Apache-2.0
// A value or the problem that prevented it. A subset of std::expected's names, so that it can become an alias of it.
#pragma once

#include <optional>
#include <utility>

#include "base/error/problem.hpp"

namespace tenon {

// A problem, or none. It is behind a pointer, so that results are small, and the code that copies and destroys its
// texts is compiled once and not in each function that may fail.
class BoxedProblem {
public:
    BoxedProblem() = default;
    BoxedProblem(const Problem& problem);
    BoxedProblem(Problem&& problem);
    BoxedProblem(const BoxedProblem& other);
    BoxedProblem(BoxedProblem&& other) noexcept : problem_(std::exchange(other.problem_, nullptr)) {}
    BoxedProblem& operator=(BoxedProblem other) noexcept {
        std::swap(problem_, other.problem_);
        return *this;
    }
    ~BoxedProblem() {
        if (problem_ != nullptr) {
            destroy();
        }
    }

    explicit operator bool() const { return problem_ != nullptr; }
    Problem& operator*() { return *problem_; }
    const Problem& operator*() const { return *problem_; }
    operator Problem() && { return std::move(*problem_); }  // for TENON_TRY in functions that return no Result

private:
    void destroy() const;

    Problem* problem_ = nullptr;
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::in_place, std::move(value)) {}
    Result(const Problem& problem) : problem_(problem) {}
    Result(Problem&& problem) : problem_(std::move(problem)) {}
    Result(BoxedProblem&& problem) : problem_(std::move(problem)) {}

    [[nodiscard]] bool has_value() const { return value_.has_value(); }
    explicit operator bool() const { return has_value(); }

    T& value() & { return *value_; }
    const T& value() const& { return *value_; }
    T&& value() && { return std::move(*value_); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    Problem& error() { return *problem_; }
    const Problem& error() const { return *problem_; }
    BoxedProblem&& boxed() && { return std::move(problem_); }

private:
    std::optional<T> value_;
    BoxedProblem problem_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(const Problem& problem) : problem_(problem) {}
    Result(Problem&& problem) : problem_(std::move(problem)) {}
    Result(BoxedProblem&& problem) : problem_(std::move(problem)) {}

    [[nodiscard]] bool has_value() const { return !problem_; }
    explicit operator bool() const { return has_value(); }

    Problem& error() { return *problem_; }
    const Problem& error() const { return *problem_; }
    BoxedProblem&& boxed() && { return std::move(problem_); }

private:
    BoxedProblem problem_;
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

template <class T>
BoxedProblem&& problem_of(Result<T>& tried) {
    return std::move(tried).boxed();
}
// What has the names of a Result, such as a rule's answer about shapes.
template <class T>
auto&& problem_of(T& tried) {
    return std::move(tried.error());
}

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
#define TENON_TRY(...)                                       \
    __extension__({                                          \
        auto tenon_tried = (__VA_ARGS__);                    \
        if (!tenon_tried) {                                  \
            return ::tenon::detail::problem_of(tenon_tried); \
        }                                                    \
        ::tenon::detail::value_of(std::move(tenon_tried));   \
    })
