// SPDX-License-Identifier: Apache-2.0
// Regions: composites, which a host may replace by its own kernel, and loops over time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {
namespace detail {

inline std::vector<Value> begin_region(const char* op, std::span<const In> inputs, std::span<const Attr> attributes,
                                       std::source_location at = std::source_location::current(),
                                       std::uint32_t revision = 1) {
    const Build& build = *current_build();
    const tn_source source = to_source(at);
    std::vector<tn_value> ids;
    for (const In& input : inputs) {
        ids.push_back(input.id);
    }
    std::vector<const tn_attribute*> pointers;
    for (const Attr& attribute : attributes) {
        pointers.push_back(&attribute.c);
    }
    tn_node node{};
    node.struct_size = sizeof(tn_node);
    node.op = build.api->find_op(build.graph, op, revision);
    node.in = ids.data();
    node.in_count = static_cast<std::uint32_t>(ids.size());
    node.attributes = pointers.data();
    node.attribute_count = static_cast<std::uint32_t>(pointers.size());
    node.source = &source;
    std::vector<tn_value> body(ids.size());
    build.api->region_begin(build.graph, &node, body.data(), static_cast<std::uint32_t>(body.size()));
    std::vector<Value> out;
    for (const tn_value id : body) {
        out.push_back({id});
    }
    return out;
}

inline std::vector<Value> end_region(std::span<const Value> results) {
    const Build& build = *current_build();
    std::vector<tn_value> ids;
    for (const Value& result : results) {
        ids.push_back(result.id);
    }
    std::vector<tn_value> outputs(ids.size());
    build.api->region_end(build.graph, ids.data(), static_cast<std::uint32_t>(ids.size()), outputs.data(),
                          static_cast<std::uint32_t>(outputs.size()));
    std::vector<Value> out;
    for (const tn_value id : outputs) {
        out.push_back({id});
    }
    return out;
}

}  // namespace detail

// One value computed from several by a body of primitive ops. Its name and revision let a host use a faster kernel:
//   composite("gae", 1, {reward, value}, [](std::span<const Value> in) { return in[0] - in[1]; })
template <class Body>
Value composite(Name name, std::int64_t revision, std::initializer_list<In> inputs, Body body) {
    const std::array attributes{detail::Attr("name", name.text), detail::Attr("revision", revision)};
    const std::vector<Value> inside =
        detail::begin_region("composite", std::span(inputs.begin(), inputs.size()), attributes, name.at);
    const Value result = body(std::span<const Value>(inside));
    return detail::end_region(std::span(&result, 1)).front();
}

// A loop over time. carried are the initial carried values; sequences have a time dimension. body gets the values of
// one step in the order carried, sequences. It returns the next carried values, followed by any other results of the
// step. All results have a time dimension. reset: the index, among all inputs, of a boolean sequence that resets the
// carried values to zero before a step.
template <class Body>
std::vector<Value> scan(std::initializer_list<In> carried, std::initializer_list<In> sequences, Body body,
                        std::int64_t reset = -1, std::source_location at = std::source_location::current()) {
    std::vector<In> inputs(carried);
    inputs.insert(inputs.end(), sequences.begin(), sequences.end());
    const std::array attributes{detail::Attr("carries", static_cast<std::int64_t>(carried.size())),
                                detail::Attr("reset", reset)};
    const std::vector<Value> inside = detail::begin_region("scan", inputs, attributes, at);
    const std::vector<Value> results = body(std::span<const Value>(inside));
    return detail::end_region(results);
}

// A dimension that a scan makes: its name and how many steps it has. In reverse the last step runs first. A loop with
// the name of an output, whose elements are its first result, one each step, lets `tenon serve` and `tenon play` show
// them as they are computed.
struct Steps {
    Name name;
    std::int64_t count;
    bool reverse = false;
    double fill = 0;  // the results of rows that are done (until)
};

// What the body of a loop returns that ends once all rows are done.
struct Until {
    Value done;
    std::vector<Value> results;
};

// `done`: which rows are done after this step, a bool per row. In later steps such a row keeps its carried values, and
// its other results are the fill of Steps. The loop ends with its last row, so the number of steps is a maximum:
//   scan(Steps{"answer", 64}, {token, keys}, {}, [&](std::span<const Value> in) {
//       ...
//       return until(next == stop, {next, put(in[1], place, key), next, log_prob});
//   })
// The flags, which stay true, are one more result, the last.
inline Until until(In done, std::vector<Value> results) {
    return {{done.id}, std::move(results)};
}

// A loop of a number of steps, such as an imagined future: scan(Steps{"horizon", 15}, {state}, {}, body). carried are
// the initial carried values; sequences have the dimension, for example as results of another scan over it. body gets
// the values of one step in the order carried, sequences. It returns the next carried values, followed by any other
// results of the step. All results have the dimension: collect(x, "horizon") makes it the last size, pick(x, i,
// "horizon") selects a step. The body draws again in each step. With until(done, results) in place of the results the
// loop ends with its last row.
template <class Body>
std::vector<Value> scan(const Steps& steps, const std::vector<In>& carried, const std::vector<In>& sequences,
                        Body body) {
    std::vector<In> inputs(carried);
    inputs.insert(inputs.end(), sequences.begin(), sequences.end());
    constexpr bool kUntil = std::is_same_v<std::invoke_result_t<Body&, std::span<const Value>>, Until>;
    const std::array attributes{detail::Attr("carries", static_cast<std::int64_t>(carried.size())),
                                detail::Attr("steps", steps.count),
                                detail::Attr("name", steps.name.text),
                                detail::Attr("reverse", std::int64_t{steps.reverse ? 1 : 0}),
                                detail::Attr("until", std::int64_t{1}),
                                detail::Attr("fill", steps.fill)};
    constexpr std::size_t kOfRevision2 = 4;
    const std::vector<Value> inside =
        detail::begin_region("scan", inputs, std::span(attributes).first(kUntil ? attributes.size() : kOfRevision2),
                             steps.name.at, kUntil ? 3 : 2);
    if constexpr (kUntil) {
        Until last = body(std::span<const Value>(inside));
        last.results.push_back(last.done);
        return detail::end_region(last.results);
    } else {
        const std::vector<Value> results = body(std::span<const Value>(inside));
        return detail::end_region(results);
    }
}

}  // namespace TENON_SDK
}  // namespace tenon
