// SPDX-License-Identifier: Apache-2.0
// The building blocks of a graph: the batch's columns, networks by role, parameters, losses, metrics, regions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tenon/graph.hpp"

namespace tenon {
inline namespace TENON_SDK {

// A name, with the author's line.
struct Name {
    const char* text;
    std::source_location at;
    Name(const char* name, std::source_location where = std::source_location::current()) : text(name), at(where) {}
};

// Two values stacked: see Batch::with.
inline Value both(In a, In b) {
    return stack({a, b}, "both", a.at);
}

// The columns of the program at time t, or at t + 1 after next().
class Batch {
public:
    Value operator[](Name key) const {
        const detail::CalledFrom caller(key.at);
        const std::size_t bar = prefix_.find('|');
        if (bar != std::string::npos) {
            return both(first(bar)[key], second(bar)[key]);
        }
        const std::string full = prefix_ + key.text;
        return detail::emit_one("column", {}, std::array{detail::Attr("key", full.c_str())}, key.at);
    }

    // The column, or the given number if the wiring has no such column.
    [[nodiscard]] Value column(Name key, double standard) const {
        const std::string full = prefix_ + key.text;
        return detail::emit_one(
            "column", {}, std::array{detail::Attr("key", full.c_str()), detail::Attr("default", standard)}, key.at);
    }

    [[nodiscard]] Batch next() const { return under("next."); }

    // Both batches at once: each column is a stack of two along the dimension "both", so that one call of a network
    // serves the rows of both. both(a, b) stacks other values in the same way; pick(x, 0, "both") selects one of the
    // two.
    [[nodiscard]] Batch with(const Batch& other) const {
        Batch out;
        out.prefix_ = prefix_ + "|" + other.prefix_;
        return out;
    }

    [[nodiscard]] Batch under(const char* prefix) const {
        Batch out;
        out.prefix_ = prefix_ + prefix;
        return out;
    }

    [[nodiscard]] const std::string& prefix() const { return prefix_; }

private:
    [[nodiscard]] Batch first(std::size_t bar) const { return Batch().under(prefix_.substr(0, bar).c_str()); }
    [[nodiscard]] Batch second(std::size_t bar) const { return Batch().under(prefix_.substr(bar + 1).c_str()); }

    std::string prefix_;
};

struct Draw {
    Value action;
    Value log_prob;
};

// The joint log-probability of a policy from those of its heads: the sum over [.., heads]. A value that is joint
// already is returned unchanged. Use it for everything that adds up over heads, such as divergences and entropies.
inline Value joint(Value of_heads, std::source_location at = std::source_location::current());

// A network applied to a batch. The names of its functions are those that the heads use.
class Bound {
public:
    Bound(std::string role, std::string slab, std::string version, std::string mode, std::string prefix)
        : role_(std::move(role)),
          slab_(std::move(slab)),
          version_(std::move(version)),
          mode_(std::move(mode)),
          prefix_(std::move(prefix)) {}

    [[nodiscard]] Draw sample(std::source_location at = std::source_location::current()) const {
        const auto out = call<2>({"sample", at}, {});
        return {out[0], joint(out[1], at)};
    }
    [[nodiscard]] Value mode(std::source_location at = std::source_location::current()) const {
        return call<1>({"mode", at}, {})[0];
    }
    [[nodiscard]] Value log_prob(In action) const { return joint(log_prob_by_head(action), action.at); }
    // [.., heads] if the policy has several heads and lists them separately; otherwise the same as log_prob. The
    // batch's column "log_prob" has the same sizes.
    [[nodiscard]] Value log_prob_by_head(In action) const { return call<1>({"log_prob", action.at}, {action})[0]; }
    [[nodiscard]] Value entropy(std::source_location at = std::source_location::current()) const {
        return call<1>({"entropy", at}, {})[0];
    }
    // The divergence from the distribution that drew the batch's actions, whose parameters acting has stored, to the
    // present one.
    [[nodiscard]] Value kl(std::source_location at = std::source_location::current()) const {
        return call<1>({"kl", at}, {})[0];
    }
    // The divergence from its distribution to that of the same network with other parameters: actor.kl_to(reference).
    [[nodiscard]] Value kl_to(const Bound& other, std::source_location at = std::source_location::current()) const {
        return other.call<1>({"kl_from", at}, {{call<1>({"distribution", at}, {})[0], at}})[0];
    }
    [[nodiscard]] Value log_probs(std::source_location at = std::source_location::current()) const {
        return call<1>({"log_probs", at}, {})[0];
    }
    [[nodiscard]] Value value(std::source_location at = std::source_location::current()) const {
        return call<1>({"value", at}, {})[0];
    }
    [[nodiscard]] Value values(std::source_location at = std::source_location::current()) const {
        return call<1>({"values", at}, {})[0];
    }
    [[nodiscard]] Value q(In action) const { return call<1>({"q", action.at}, {action})[0]; }

    // Any function with N results.
    template <std::size_t N>
    [[nodiscard]] std::array<Value, N> call(Name function, std::initializer_list<In> inputs) const {
        std::vector<tn_value> ids;
        for (const In& input : inputs) {
            ids.push_back(input.id);
        }
        std::vector attributes{detail::Attr("role", role_.c_str()),       detail::Attr("function", function.text),
                               detail::Attr("slab", slab_.c_str()),       detail::Attr("prefix", prefix_.c_str()),
                               detail::Attr("version", version_.c_str()), detail::Attr("mode", mode_.c_str())};
        if (draws_ > 0) {
            attributes.emplace_back("draws", draws_);
        }
        std::vector<tn_str> names;
        for (const auto& [name, value] : given_) {
            ids.push_back(value);
            names.push_back(to_str(name.c_str()));
        }
        if (!names.empty()) {
            attributes.emplace_back("bind", std::span<const tn_str>(names));
        }
        const std::uint32_t revision = !names.empty() ? 3 : draws_ > 0 ? 2 : 1;
        return detail::emit_many<N>("call", revision, ids, attributes, function.at);
    }

    // The network applied to a value in place of the column of that name: actor(batch).with("observation", x). The
    // value has the column's sizes; its leading dimensions may be others. "memory.NAME" stands for what the network
    // remembers: call<N> then returns, after the function's results, what it remembers next, in the order given.
    // "parameters" stands for the network's trainable parameters: a vector like that of Network::parameters().
    [[nodiscard]] Bound with(const char* name, In value) const {
        Bound out = *this;
        out.given_.emplace_back(name, value.id);
        return out;
    }

    // Several draws per row: sample() gives actions and log-probabilities with the dimension "draws", which collect(x,
    // "draws") turns into a size. The parts that do not depend on the draws are computed once.
    [[nodiscard]] Bound draws(std::int64_t count) const {
        Bound out = *this;
        out.draws_ = count;
        return out;
    }

private:
    std::string role_;
    std::string slab_;
    std::string version_;
    std::string mode_;
    std::string prefix_;
    std::int64_t draws_ = 0;
    std::vector<std::pair<std::string, tn_value>> given_;
};

// A network of the run, by its role: q(batch), q.target()(batch.next()), q.after("critic")(batch).
class Network {
public:
    explicit Network(std::string role) : role_(std::move(role)) {}

    [[nodiscard]] Bound operator()(const Batch& batch) const { return {role_, slab_, version_, mode_, batch.prefix()}; }

    // Its target network.
    [[nodiscard]] Network target() const { return with(&Network::slab_, "target"); }
    // Its reference: a copy of its parameters, made at the start of the run and again as [policy.NAME.reference] says.
    [[nodiscard]] Network reference() const { return with(&Network::slab_, "reference"); }
    // Its parameters after that stage of the same update, rather than at the start of the update.
    [[nodiscard]] Network after(const char* stage) const { return with(&Network::version_, stage); }
    // In evaluation mode: no dropout, running statistics.
    [[nodiscard]] Network eval() const { return with(&Network::mode_, "eval"); }

    // The trainable parameters that its functions have read so far in this program, as one vector: with("parameters",
    // v) calls a function on other ones, so that a gradient with respect to the vector is one of all parameters.
    [[nodiscard]] Value parameters(std::source_location at = std::source_location::current()) const {
        return detail::emit_one("parameters", {}, std::array{detail::Attr("role", role_.c_str())}, at);
    }
    // In prepare and conclude: the parameters after it.
    void set_parameters(In value) const {
        const std::array attributes{detail::Attr("role", role_.c_str())};
        detail::emit_many<0>("parameters_write", 1, std::array{value.id}, attributes, value.at);
    }

private:
    [[nodiscard]] Network with(std::string Network::* field, const char* value) const {
        Network out = *this;
        out.*field = value;
        return out;
    }

    std::string role_;
    std::string slab_ = "live";
    std::string version_;
    std::string mode_;
};

// The initial value of a parameter.
struct Init {
    const char* kind;
    double scale;
};
inline Init zeros() {
    return {"zeros", 0};
}
inline Init constant(double value) {
    return {"constant", value};
}
inline Init uniform(double bound) {
    return {"uniform", bound};
}
inline Init normal(double deviation) {
    return {"normal", deviation};
}
inline Init orthogonal(double gain) {
    return {"orthogonal", gain};
}

struct Stage {
    std::initializer_list<const char*> owns;
    std::int64_t every = 1;
};

// The rows of a history, [.., window, ..], oldest first. `first` is the number of the first one that counts, an int for
// each lane; rows before it are zeros.
struct History {
    Value rows;
    Value first;
};

// The argument of build functions.
class Graph {
public:
    [[nodiscard]] Batch batch() const { return {}; }
    [[nodiscard]] Network network(const char* role) const { return Network(role); }

    // The component's numeric option of that name: a constant, or a graph input if a schedule changes it.
    [[nodiscard]] Value option(Name name) const {
        return detail::emit_one("option", {}, std::array{detail::Attr("name", name.text)}, name.at);
    }

    [[nodiscard]] Value parameter(Name name, std::span<const std::int64_t> shape, Init init) const {
        return read("parameter", name, shape, init);
    }
    [[nodiscard]] Value parameter(Name name, std::initializer_list<std::int64_t> shape, Init init) const {
        return read("parameter", name, std::span(shape.begin(), shape.size()), init);
    }
    // State that the optimiser does not touch. Reads give its value at the start of the update; set writes the value
    // for the end of the update. Between updates, in prepare and conclude, set may write parameters as well.
    [[nodiscard]] Value state(Name name, std::span<const std::int64_t> shape, Init init) const {
        return read("state", name, shape, init);
    }
    [[nodiscard]] Value state(Name name, std::initializer_list<std::int64_t> shape, Init init) const {
        return read("state", name, std::span(shape.begin(), shape.size()), init);
    }
    void set(Name name, In value) const { effect("state_write", value, {detail::Attr("name", name.text)}, name.at); }

    // What the network remembered in the lane's previous step, one value per row; zeros where an episode begins. Write
    // the function for a single step; over sequences the host runs it step by step. remember sets the value for the
    // next step.
    [[nodiscard]] Value memory(Name name, std::span<const std::int64_t> shape) const {
        return detail::emit_one("memory", {}, std::array{detail::Attr("name", name.text), detail::Attr("shape", shape)},
                                name.at);
    }
    [[nodiscard]] Value memory(Name name, std::initializer_list<std::int64_t> shape) const {
        return memory(name, std::span(shape.begin(), shape.size()));
    }
    void remember(Name name, In value) const { effect("remember", value, {detail::Attr("name", name.text)}, name.at); }

    // The last `window` rows that the network has made in the lane, this one included; those of earlier episodes do not
    // count. Write the function for a single step; over sequences the host computes all steps at once. In storage a
    // history takes one row a frame.
    [[nodiscard]] History history(Name name, In row, std::int64_t window) const {
        const std::array inputs{row.id};
        const std::array attributes{detail::Attr("name", name.text), detail::Attr("window", window)};
        const auto [rows, first] = detail::emit_many<2>("history", 1, inputs, attributes, name.at);
        return {rows, first};
    }

    // How many steps of the episode the lane has made before this one. Attention needs it for the places of its rows.
    [[nodiscard]] Value episode_step(std::source_location at = std::source_location::current()) const {
        return detail::emit_one("episode_step", {}, {}, at);
    }

    // Whether the function is built for an update, as layers such as dropout need to know. False for Network::eval()
    // and for acting.
    [[nodiscard]] static bool training() { return detail::current_build()->mode == "train"; }
    // Whether the function is built to act with exploration noise, or for an update.
    [[nodiscard]] static bool drawing() { return detail::current_build()->mode != "eval"; }
    // Whether the function is built to act with exploration noise.
    [[nodiscard]] static bool acting() { return detail::current_build()->mode == "act"; }

    // The frames and updates so far and the completed share of total_frames, as values of the graph.
    [[nodiscard]] Value frames(std::source_location at = std::source_location::current()) const {
        return detail::emit_one("frames", {}, {}, at);
    }
    [[nodiscard]] Value updates(std::source_location at = std::source_location::current()) const {
        return detail::emit_one("updates", {}, {}, at);
    }
    [[nodiscard]] Value progress(std::source_location at = std::source_location::current()) const {
        return detail::emit_one("progress", {}, {}, at);
    }

    // A part of the update with its own losses and owners; rows("NAME.term", ...) belongs to it.
    void stage(Name name, Stage options) const {
        std::vector<tn_str> owns;
        for (const char* role : options.owns) {
            owns.push_back(to_str(role));
        }
        const std::array attributes{detail::Attr("name", name.text),
                                    detail::Attr("owns", std::span<const tn_str>(owns)),
                                    detail::Attr("every", options.every)};
        detail::emit_many<0>("stage", 1, {}, attributes, name.at);
    }
    // A loss: one value per row, which the host reduces. It belongs to the stage that its name starts with, or else to
    // "update".
    void rows(Name name, In loss) const { effect("rows", loss, {detail::Attr("name", name.text)}, name.at); }
    // A number that is recorded below train/. Its name consists of letters, digits, '_', '-', '.' and '/'. The host
    // uses these itself: loss, loss/NAME, grad_norm/NAME, learning_rate, n_updates and n_left_out.
    void metric(Name name, In value) const { effect("metric", value, {detail::Attr("name", name.text)}, name.at); }
    void write(Name key, In value) const { effect("write", value, {detail::Attr("key", key.text)}, key.at); }
    // In update: the priority of each row, a number from 0 on, for prioritised buffers.
    void priority(In value) const { effect("write", value, {detail::Attr("key", "priority")}, value.at); }
    void control(Name name, In value) const { effect("control", value, {detail::Attr("name", name.text)}, name.at); }
    // Stops the run with the message if the value is false anywhere.
    void check(Name message, In value) const {
        effect("check", value, {detail::Attr("message", message.text)}, message.at);
    }
    void print(Name label, In value) const { effect("print", value, {detail::Attr("label", label.text)}, label.at); }

    // Reports a probable mistake that need not be one, when somebody validates, explains or starts the run. The same
    // sentence is reported once, however often the graph is built.
    void warn(const std::string& sentence) const {
        const detail::Build& build = *detail::current_build();
        if (build.host != nullptr && build.warned->insert(sentence).second) {
            build.host->log(build.host->ctx, TN_LOG_WARNING, to_str(sentence));
        }
    }

    // The spec of a column as wired; null if the column is optional and missing.
    [[nodiscard]] const tn_spec* spec(Name key, bool optional = false) const {
        const detail::Build& build = *detail::current_build();
        const tn_source source = detail::to_source(key.at);
        const tn_spec* out = nullptr;
        return build.api->spec_of(build.graph, to_str(key.text), optional ? 1 : 0, &source, &out) == TN_OK ? out
                                                                                                           : nullptr;
    }

    // The specs of the columns that the env takes as its action, as wired: one, or for example "action.move" and
    // "action.dial". Empty on a host that is too old to provide them.
    [[nodiscard]] static std::vector<const tn_spec*> actions() {
        const detail::Build& build = *detail::current_build();
        constexpr std::size_t kEnd = offsetof(tn_graph_api, actions) + sizeof(tn_graph_api::actions);
        const tn_spec* const* list = nullptr;
        std::uint32_t count = 0;
        if (build.api->struct_size < kEnd || build.api->actions(build.graph, &list, &count) != TN_OK) {
            return {};
        }
        return {list, list + count};
    }

private:
    static Value read(const char* op, const Name& name, std::span<const std::int64_t> shape, Init init) {
        return detail::emit_one(op, {},
                                std::array{detail::Attr("name", name.text), detail::Attr("shape", shape),
                                           detail::Attr("init", init.kind), detail::Attr("scale", init.scale)},
                                name.at);
    }
    static void effect(const char* op, const In& value, std::initializer_list<detail::Attr> attributes,
                       const std::source_location& at) {
        detail::emit_many<0>(op, 1, std::array{value.id}, attributes, at);
    }
};

// The sizes of a value without its leading dimensions. A poisoned value has TN_MAX_RANK sizes of 1, so that code that
// takes one of them keeps working. The host reports the error at the end of the build.
inline std::vector<std::int64_t> sizes_of(Value value) {
    if (value.id == 0) {
        return std::vector<std::int64_t>(TN_MAX_RANK, 1);
    }
    const tn_type type = type_of(value);
    std::vector<std::int64_t> out;
    for (std::uint32_t i = 0; i < type.rank; ++i) {
        if (type.dim[i] > 0) {
            out.push_back(type.dim[i]);
        }
    }
    return out;
}

// Two sizes transposed, counted from the end: of [.., heads, n, d], transpose(x, -3, -2) is [.., n, heads, d].
inline Value transpose(In x, std::int64_t one, std::int64_t other) {
    const auto count = static_cast<std::int64_t>(sizes_of(Value{x.id}).size());
    std::vector<std::int64_t> order;
    for (std::int64_t i = -count; i < 0; ++i) {
        order.push_back(i == one ? other : i == other ? one : i);
    }
    return permute(x, order);
}

// The last size of a value, or 1 if it has none.
inline std::int64_t last_size(Value value) {
    const tn_type type = type_of(value);
    return type.rank > 0 && type.dim[type.rank - 1] > 0 ? type.dim[type.rank - 1] : 1;
}

inline Value joint(Value of_heads, std::source_location at) {
    const detail::CalledFrom caller(at);
    return sizes_of(of_heads).empty() ? of_heads : sum(of_heads);
}

// The mean over heads of a value with one element per head.
inline Value average(Value of_heads, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return sizes_of(of_heads).empty() ? of_heads : mean(of_heads);
}

// Broadcasts one number per row to one per head, for example an advantage to the shape of its ratios.
inline Value beside(Value number, Value of_heads, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    return sizes_of(of_heads).empty() ? number : unsqueeze(number);
}

// For debuggers: the numbers of a value in an eager build, in which the host computes each node on a sample batch as
// soon as it is added; otherwise empty. No command of the program builds eagerly so far; Graph::print shows the numbers
// of a run.
inline std::vector<double> peek(Value value) {
    const detail::Build& build = *detail::current_build();
    std::uint64_t count = 0;
    if (build.api->peek(build.graph, value.id, nullptr, 0, &count) != TN_OK) {
        return {};
    }
    std::vector<double> out(count);
    build.api->peek(build.graph, value.id, out.data(), count, &count);
    return out;
}

}  // namespace TENON_SDK
}  // namespace tenon
