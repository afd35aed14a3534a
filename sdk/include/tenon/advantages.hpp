// SPDX-License-Identifier: Apache-2.0
// Advantages and value targets of collected batches, by the estimator that an option names, with the networks as they
// are when the batch is prepared. An objective that learns from collected batches derives from it.
#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <tuple>

#include "tenon/build.hpp"
#include "tenon/estimators.hpp"
#include "tenon/losses.hpp"
#include "tenon/options.hpp"
#include "tenon/value_norm.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Advantages : ValueNorm {
    std::string estimator;
    bool normalise = false;
    std::string normalise_over;
    double clip_value = 0;  // an option of objectives that clip the value

    // Uses the estimator that the option `estimator` names, with the options gamma, lambda, rho_max and c_max.
    void prepare_advantage(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        if (estimator == "vtrace") {
            prepare_vtrace(g);
        } else if (estimator == "td_lambda" || estimator == "td0" || estimator == "mc") {
            const Batch batch = g.batch();
            const Value v = value_of(g, batch);
            const Value target = returns_of(g, value_of(g, batch.next()));
            write_advantage(g, target - v, target, v);
        } else {
            prepare_gae(g);
        }
    }

    // Uses generalised advantage estimation.
    void prepare_gae(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Batch batch = g.batch();
        const Batch next = batch.next();
        const Value v = value_of(g, batch);
        const Value next_value = value_of(g, next);
        const Value advantage =
            gae(next["reward"], v, next_value, next["terminated"], next["done"], g.option("gamma"), g.option("lambda"));
        write_advantage(g, advantage, advantage + v, v);
    }

    // Prepares advantages by V-trace (Espeholt et al. 2018), which corrects for actions of another policy than the
    // present one.
    void prepare_vtrace(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Batch batch = g.batch();
        const Batch next = batch.next();
        const Value ratio = exp(g.network("actor")(batch).log_prob(batch["action"]) - joint(batch["log_prob"]));
        const Value rho = min(ratio, g.option("rho_max"));
        const Value c = min(ratio, g.option("c_max"));
        const Value v = value_of(g, batch);
        const Value next_value = value_of(g, next);
        const Value reward = next["reward"], terminated = next["terminated"], gamma = g.option("gamma");
        const Value target = vtrace(reward, v, next_value, terminated, next["done"], rho, c, gamma);
        write_advantage(g, vtrace_advantage(reward, v, next_value, terminated, target, rho, c, gamma), target, v);
        g.metric("ratio", batch_mean(ratio));
    }

    // The columns that update reads: the advantage of each action and the target of the value network, and, where
    // they do not report it, the value v before the update.
    void write_advantage(const Graph& g, Value advantage, Value target, Value v = {},
                         std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        follow(g, target);
        write_advantage_alone(g, advantage);
        g.write("value_target", target);
        if (keeps_value()) {
            g.write("value_before", v);
        }
        const Value error = estimator == "vtrace" ? target - v : advantage;
        const Value unexplained = square(batch_std(error)) / max(square(batch_std(target)), 1e-12);
        g.metric("explained_variance", 1 - unexplained);
    }
    void write_advantage_alone(const Graph& g, Value advantage,
                               std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        g.write("advantage", normalise && normalise_over == "batch" ? normalised(advantage) : advantage);
    }

    [[nodiscard]] Value advantage(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Value a = g.batch()["advantage"];
        return normalise && normalise_over != "batch" ? normalised(a) : a;
    }
    // The value when the batch was prepared, for objectives with the option clip_value.
    [[nodiscard]] Value value_before(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Batch batch = g.batch();
        return keeps_value() ? batch["value_before"] : batch["value_target"] - batch["advantage"];
    }

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            live("gamma", 0.99, "[0,1]", "discount"),
            option<&Advantages::normalise>("normalise_advantage", false, "",
                                           "normalise advantages to mean 0 and deviation 1"),
            option<&Advantages::normalise_over>(
                "normalise_over", "minibatch", "minibatch|batch",
                "rows whose mean and deviation normalise_advantage uses: each minibatch's, or the whole batch's")},
        ValueNorm::options);

    // With this default.
    static consteval auto estimator_options(std::string_view standard) {
        return std::tuple{option<&Advantages::estimator>(
                              "estimator", standard, "gae|td_lambda|vtrace|td0|mc",
                              "how advantages and value targets are estimated; mc: the rewards of the rest "
                              "of the episode; vtrace: corrected for actions of an older policy"),
                          live("lambda", 0.95, "[0,1]", "lambda of the estimators gae and td_lambda"),
                          live("rho_max", 1.0, "(0,inf)", "V-trace: largest ratio that weights a step"),
                          live("c_max", 1.0, "(0,inf)", "V-trace: largest ratio by which later steps count")};
    }

private:
    // The return, for estimators whose advantage is the return minus the value.
    [[nodiscard]] Value returns_of(const Graph& g, Value next_value) const {
        const Batch next = g.batch().next();
        const Value reward = next["reward"], terminated = next["terminated"], gamma = g.option("gamma");
        if (estimator == "td0") {
            return td0(reward, next_value, terminated, gamma);
        }
        return estimator == "mc" ? td1(reward, next_value, terminated, next["done"], gamma)
                                 : td_lambda(reward, next_value, terminated, next["done"], gamma, g.option("lambda"));
    }
    // Whether the value is not target - advantage.
    [[nodiscard]] bool keeps_value() const {
        return clip_value > 0 && (estimator == "vtrace" || (normalise && normalise_over == "batch"));
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
