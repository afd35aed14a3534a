// SPDX-License-Identifier: Apache-2.0
// A hook's plan, and what it sees and may do in one of its calls.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/hook.h"
#include "tenon/guard.hpp"
#include "tenon/spec.hpp"
#include "tenon/transitions.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Lists of names. Later the hook refers to each name by its position in its list.
struct HookPlan {
    std::vector<std::string> reads = {};     // metrics of the run: "train/loss"
    std::vector<std::string> columns = {};   // of collected frames: "next.reward"
    std::vector<std::string> metrics = {};   // its own
    std::vector<std::string> moves = {};     // live options: "optimiser.lr"
    std::vector<std::string> networks = {};  // whose parameters and gradients it reads: "actor"
    std::vector<std::string> writes = {};    // frozen networks, whose parameters it writes: "copies"
    // For each of `writes`: the name of the network in `networks` whose parameters it holds, once or once for each of
    // its members; empty: none. `tenon validate` refuses two networks whose parameters differ.
    std::vector<std::string> copies_of = {};
};

// The collected frames of a round.
class HookFrames {
public:
    explicit HookFrames(const tn_hook_frames& frames) : frames_(&frames) {}

    // Calls visit(SlotLane) for every transition of the round; step by step, and in a step lane by lane.
    template <class Visit>
    void each(Visit&& visit) const {
        const tn_buffer_view& view = *frames_->view;
        for (std::uint32_t left = frames_->steps; left > 0; --left) {
            for (std::uint32_t lane = 0; lane < view.lanes; ++lane) {
                if (view.count[lane] >= left) {
                    const std::uint64_t slot = std::uint64_t{view.first[lane]} + view.count[lane] - left;
                    visit(SlotLane{static_cast<std::uint32_t>(slot < view.slots ? slot : slot - view.slots), lane});
                }
            }
        }
    }

    // Whether a transition is the last of its episode.
    [[nodiscard]] bool ends_episode(SlotLane at) const {
        const std::size_t number = std::size_t{at.slot} * frames_->view->lanes + at.lane;
        return (frames_->view->terminated[number] | frames_->view->truncated[number]) != 0;
    }

    // Elements of a column of the plan in one row, and the value of one of them.
    [[nodiscard]] std::size_t elements(std::size_t column) const {
        const tn_tensor& tensor = frames_->columns[column]->tensor;
        std::size_t out = 1;
        for (std::uint32_t i = 2; i < tensor.rank; ++i) {
            out *= static_cast<std::size_t>(tensor.shape[i]);
        }
        return out;
    }
    [[nodiscard]] double value(std::size_t column, SlotLane at, std::size_t element = 0) const {
        const tn_tensor& tensor = frames_->columns[column]->tensor;  // dense within a row
        const std::int64_t index = tensor.strides[0] * at.slot + tensor.strides[1] * at.lane;
        return with_dtype(tensor.dtype, [&]<class E>(E) {
            const auto* const elements = static_cast<const E*>(tensor.data) + index;
            return static_cast<double>(elements[element]);
        });
    }

private:
    const tn_hook_frames* frames_;
};

// The trainable parameters of a network of the plan, and the gradients of its newest optimiser step, averaged and
// clipped as the step has used them; zeros before the first one.
class HookNetwork {
public:
    explicit HookNetwork(const tn_hook_network& network) : network_(&network) {}

    // Calls visit(value) for every element.
    template <class Visit>
    void each_parameter(Visit&& visit) const {
        each(network_->parameters, visit);
    }
    template <class Visit>
    void each_gradient(Visit&& visit) const {
        each(network_->gradients, visit);
    }

    // The number of members of this network, each of which has the parameters of `one`: a parameter of the shape [...]
    // in `one` has the shape [members, ...] in this network, or the same one if there is a single member. Throws if
    // their parameters differ otherwise.
    [[nodiscard]] std::size_t members_of(const HookNetwork& one) const {
        std::int64_t members = 0;
        bool fits = network_->parameter_count == one.network_->parameter_count && network_->parameter_count > 0;
        for (std::uint32_t i = 0; fits && i < network_->parameter_count; ++i) {
            const tn_column& mine = *network_->parameters[i];
            const tn_column& theirs = *one.network_->parameters[i];
            const tn_tensor &all = mine.tensor, &each = theirs.tensor;
            const bool one_set = all.rank == each.rank;
            const std::int64_t here = one_set ? 1 : all.shape[0];
            fits =
                std::string_view(mine.key.data, mine.key.size) == std::string_view(theirs.key.data, theirs.key.size) &&
                all.dtype == each.dtype && (one_set || all.rank == each.rank + 1) &&
                std::equal(each.shape, each.shape + each.rank, all.shape + (one_set ? 0 : 1)) &&
                (i == 0 || members == here);
            members = fits ? here : 0;
        }
        if (!fits) {
            throw InvalidArgument("the two networks do not have the same parameters");
        }
        return static_cast<std::size_t>(members);
    }

    // Writes the parameters of one of its members. The network is one of plan.writes, and members_of(from) is larger
    // than `member`.
    void write_member(std::size_t member, const HookNetwork& from) const {
        for (std::uint32_t i = 0; i < network_->parameter_count; ++i) {
            const tn_tensor &to = network_->parameters[i]->tensor, &source = from.network_->parameters[i]->tensor;
            std::int64_t count = 1;
            for (std::uint32_t axis = 0; axis < source.rank; ++axis) {
                count *= source.shape[axis];
            }
            with_dtype(to.dtype, [&]<class E>(E) {
                std::copy_n(static_cast<const E*>(source.data), count,
                            static_cast<E*>(to.data) + static_cast<std::int64_t>(member) * count);
            });
        }
    }

private:
    template <class Visit>
    void each(const tn_column* const* list, Visit& visit) const {
        for (std::uint32_t i = 0; i < network_->parameter_count; ++i) {
            const tn_tensor& tensor = list[i]->tensor;
            std::int64_t count = 1;
            for (std::uint32_t axis = 0; axis < tensor.rank; ++axis) {
                count *= tensor.shape[axis];
            }
            with_dtype(tensor.dtype, [&]<class E>(E) {
                const auto* const elements = static_cast<const E*>(tensor.data);
                for (std::int64_t at = 0; at < count; ++at) {
                    visit(static_cast<double>(elements[at]));
                }
            });
        }
    }

    const tn_hook_network* network_;
};

class HookCall {
public:
    // written: the networks of plan.writes; null if the host has not passed them.
    HookCall(const tn_hook_call& call, const HookPlan& plan, const tn_hook_network* const* written = nullptr)
        : call_(&call), plan_(&plan), written_(written) {}

    [[nodiscard]] std::uint64_t frames() const { return call_->frames; }    // env steps of the run so far
    [[nodiscard]] std::uint64_t updates() const { return call_->updates; }  // of all objectives

    // The newest value of a metric of plan.reads; NaN: there is none yet. Metrics of updates are those of the newest
    // update, and not the mean since the last record.
    [[nodiscard]] double metric(std::size_t number) const { return call_->metrics[check(number, plan_->reads)]; }
    [[nodiscard]] bool has_metric(std::size_t number) const { return !std::isnan(metric(number)); }
    // The present value of an option of plan.moves.
    [[nodiscard]] double option(std::size_t number) const { return call_->moved[check(number, plan_->moves)]; }
    // The frames of the round, in `collected` of a hook that reads columns.
    [[nodiscard]] HookFrames round() const {
        if (call_->frames_of_round == nullptr) {
            throw FailedPrecondition("only the function collected of a hook that reads columns sees frames");
        }
        return HookFrames(*call_->frames_of_round);
    }

    // A network of plan.networks.
    [[nodiscard]] HookNetwork network(std::size_t number) const {
        return HookNetwork(*call_->networks[check(number, plan_->networks)]);
    }

    // A network of plan.writes.
    [[nodiscard]] HookNetwork written(std::size_t number) const {
        const std::size_t at = check(number, plan_->writes);
        if (written_ == nullptr) {
            throw Unavailable("this host is older than hooks that write networks; use a newer Tenon");
        }
        return HookNetwork(*written_[at]);
    }

    // Sets one of its metrics (plan.metrics), which records have until it is set again. It must be finite.
    void report(std::size_t metric, double value) const {
        pass(call_->report(call_->ctx, static_cast<std::uint32_t>(metric), value));
    }
    // Sets an option of plan.moves, from the next step or update on. It must be in the option's range.
    void move(std::size_t option, double value) const {
        pass(call_->move(call_->ctx, static_cast<std::uint32_t>(option), value));
    }
    // Ends the run after this round; the sentence says why.
    void stop(std::string_view why) const { pass(call_->stop(call_->ctx, to_str(why))); }

private:
    static std::size_t check(std::size_t number, const std::vector<std::string>& names) {
        if (number >= names.size()) {
            throw InvalidArgument("the hook's plan has no name number " + std::to_string(number) + " in that list");
        }
        return number;
    }
    // The host already has a sentence for the problem.
    static void pass(tn_status status) {
        if (status != TN_OK) {
            throw Error(status, "");
        }
    }

    const tn_hook_call* call_;
    const HookPlan* plan_;
    const tn_hook_network* const* written_;
};

}  // namespace TENON_SDK
}  // namespace tenon
