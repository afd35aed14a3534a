// SPDX-License-Identifier: Apache-2.0
// Values of categorical actions as the value of the state plus an advantage per action (Wang et al. 2016). Acts
// greedily.
#include <tenon/heads.hpp>
#include <tenon/plugin.hpp>
#include <tenon/policy_graph.hpp>

using tenon::function, tenon::Graph, tenon::Value;

struct Dueling {
    std::int64_t width;

    Value all(const Graph& g) const {
        const tn_spec* action = g.spec("action");
        if (action == nullptr || action->kind != TN_SPEC_CATEGORICAL) {
            throw tenon::InvalidArgument("it needs a categorical action");
        }
        const auto init = [](Value in) { return tenon::default_init(tenon::last_size(in)); };
        Value x = g.batch()["observation"];
        for (const char* layer : {"0", "1"}) {
            x = relu(tenon::dense(g, layer, x, width, init(x)));
        }
        const Value value = tenon::dense(g, "value", x, 1, init(x));
        const Value advantage = tenon::dense(g, "advantage", x, action->categories[0], init(x));
        return value + advantage - unsqueeze(mean(advantage));
    }
    // If the env says which actions are allowed (its column action_mask), the others are masked.
    Value values(const Graph& g) const { return tenon::only_allowed(g, all(g)); }
    Value q(const Graph& g, Value action) const { return gather(all(g), action); }
    std::array<Value, 2> act(const Graph& g) const {
        const Value allowed = values(g);
        return {argmax(allowed), allowed};
    }

    static constexpr auto options = std::tuple{tenon::option<&Dueling::width>("width", 64, "[1,4096]", "hidden units")};
    static constexpr auto functions =
        std::tuple{function<&Dueling::values>("values", "", "action_value"), function<&Dueling::q>("q", "action", "q"),
                   function<&Dueling::act>("sample", "", "action action_value"),
                   function<&Dueling::act>("mode", "", "action action_value")};
};

TENON_PLUGIN("dueling", "0.1.0", tenon::policy_graph<Dueling>("q_value", "action values around that of the state"));
