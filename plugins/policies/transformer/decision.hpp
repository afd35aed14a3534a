// SPDX-License-Identifier: Apache-2.0
// The trunk of Decision Transformer (Chen et al. 2021, arXiv 2106.01345). Each step is three tokens: the return that is
// still wanted, the observation, and the action. Its output for a step is the vector of the observation's token, from
// which a head chooses the action. In acting it remembers the last steps of the episode. Applied to windows
// (replay/windows), it gives a vector for each place.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "blocks.hpp"
#include "tenon/categories.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/transformer.hpp"

namespace transformer {

struct Decision : Blocks {
    std::int64_t context = 20;
    std::vector<std::string> in;
    std::string wanted;
    std::string reached;
    std::string action;
    std::string previous;
    double scale = 1;

    [[nodiscard]] Value features(const tenon::Graph& g) const {
        if (is_window(g)) {
            return of_observations(g, window(g));
        }
        return squeeze(slice(of_observations(g, remembered(g)), context - 1, 1, -2), -2);
    }

    static constexpr auto options = std::tuple_cat(
        Blocks::options,
        std::tuple{
            tenon::option<&Decision::context>("context", 20, "[2,2048]",
                                              "steps that it sees, the present one among them: the places of a window"),
            tenon::option<&Decision::in>("in", {"observation"}, "", "the observations it reads, concatenated"),
            tenon::option<&Decision::wanted>("wanted", "target_return", "", "the return to reach, in acting"),
            tenon::option<&Decision::reached>("reached", "return_to_go", "", "the return that was reached, in windows"),
            tenon::option<&Decision::action>("action", "action", "", "the actions, in windows"),
            tenon::option<&Decision::previous>("previous_action", "previous_action", "",
                                               "the action of the step before, in acting"),
            tenon::option<&Decision::scale>("return_scale", 1.0, "(0,inf)", "returns are multiplied by it")});
    static constexpr auto functions = std::tuple{tenon::function<&Decision::features>("features", "", "features")};

private:
    // Steps, oldest first.
    struct Steps {
        std::int64_t count;
        Value returns;       // [count, 1]
        Value observations;  // [count, n]
        Value actions;       // [count, m]; of the last step it is not read
        Value present;       // bool [count]
    };

    [[nodiscard]] static bool is_window(const tenon::Graph& g) { return g.spec("present", true) != nullptr; }

    [[nodiscard]] Steps window(const tenon::Graph& g) const {
        const tenon::Batch batch = g.batch();
        const Value present = batch["present"];
        const std::int64_t count = tenon::last_size(present);
        if (count != context) {
            throw tenon::InvalidArgument("its context is " + std::to_string(context) +
                                         " steps, but the batch has windows of " + std::to_string(count) +
                                         "; they must be equal: set context, or before and after of the buffer");
        }
        return {count, unsqueeze(batch[reached.c_str()]), observations(g), vector(g, action), present};
    }

    [[nodiscard]] Steps remembered(const tenon::Graph& g) const {
        const Value step = g.memory("step", {});
        g.remember("step", min(step + 1, static_cast<double>(context)));
        const Value actions = appended(g, "actions", vector(g, previous), context - 1);
        const Value unknown = 0.0 * slice(actions, 0, 1, -2);  // the action of the present step
        return {context, appended(g, "returns", unsqueeze(g.batch()[wanted.c_str()]), context),
                appended(g, "observations", observations(g), context), tenon::concat({actions, unknown}, -2),
                tenon::count_up(context) >= unsqueeze(static_cast<double>(context - 1) - step)};
    }

    // The last `count` vectors: those of the steps before, and the present one.
    [[nodiscard]] static Value appended(const tenon::Graph& g, const char* name, Value row, std::int64_t count) {
        const Value present = unsqueeze(row, -2);
        const Value old = g.memory(name, {count, tenon::last_size(row)});
        const Value all = count == 1 ? present : tenon::concat({slice(old, 1, count - 1, -2), present}, -2);
        g.remember(name, all);
        return all;
    }

    // A column whose steps are numbers or vectors, as a vector for each step.
    [[nodiscard]] static Value vector(const tenon::Graph& g, const std::string& key) {
        const tn_spec* spec = g.spec(key.c_str(), true);
        const Value x = g.batch()[key.c_str()];
        if (spec == nullptr) {
            return x;
        }
        if (tenon::holds_categories(*spec) && spec->rank == 0) {
            return tenon::categories_one_hot(x, *spec);
        }
        if (spec->rank > 1 || tenon::holds_categories(*spec)) {
            throw tenon::InvalidArgument("column '" + key + "' has steps of " + std::to_string(spec->rank) +
                                         " dimensions" +
                                         (tenon::holds_categories(*spec) ? ", which are categories" : "") +
                                         ", but this network reads numbers, vectors, and single categories");
        }
        const bool is_real = spec->dtype == TN_F32 || spec->dtype == TN_F64;
        const Value number = is_real ? x : cast(x, "real");
        return spec->rank == 0 ? unsqueeze(number) : number;
    }

    [[nodiscard]] Value observations(const tenon::Graph& g) const {
        std::vector<tenon::In> parts;
        for (const std::string& key : in) {
            parts.emplace_back(vector(g, key));
        }
        return parts.size() == 1 ? Value{parts.front().id} : tenon::concat(parts);
    }

    // The final vectors of the tokens of observations: [count, width].
    [[nodiscard]] Value of_observations(const tenon::Graph& g, const Steps& steps) const {
        const auto three = [&](Value x, Value y, Value z, std::int64_t size) {
            return reshape(tenon::concat({x, y, z}), {3 * steps.count, size});
        };
        const Value tokens = tenon::layer_norm(
            g, "embed_norm",
            three(dense(g, "return", scale * steps.returns, width), dense(g, "observation", steps.observations, width),
                  dense(g, "action", steps.actions, width), width));
        const Value places = g.parameter("place", {3 * context, width}, tenon::normal(0.02));
        const Value here = unsqueeze(cast(steps.present, "real"));
        const Value present = squeeze(three(here, here, here, 1)) > 0.5;
        const Value out = blocks(g, tokens + places, {}, [&](std::int64_t /*layer*/, Value q, Value k, Value v) {
            return tenon::attention(q, k, v, heads, {.causal = true, .allowed = present});
        });
        return slice(reshape(out, {steps.count, 3 * width}), width, width);
    }
};

}  // namespace transformer
