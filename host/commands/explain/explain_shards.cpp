// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_parts.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "base/data/number_text.hpp"
#include "base/error/listed.hpp"
#include "compute/exec/device_engine.hpp"
#include "config/manifest/shards.hpp"
#include "engines/shards/device_link.hpp"
#include "engines/shards/group.hpp"
#include "engines/shards/shard_cost.hpp"
#include "train/plan/update_device.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

std::string kilobytes(double bytes) {
    return std::to_string(std::llround(std::ceil(bytes / 1000)));
}

// Which way gradients go that are computed on a device.
std::string way_of(const Wiring& w, const ObjectivePlan& plan) {
    const DeviceLinks& links = *w.device->engine->links;
    const Result<std::string> place = links.place(*w.device);
    const std::string host = " They go through the host, where links between shards add them: ";
    if (plan.update.leaves_out) {
        return host + "train.on_not_finite is \"leave_out\", so only the host knows which minibatches count.";
    }
    if (!place) {
        return host + place.error().sentence + ".";
    }
    const Result<std::string> nccl = links.find();
    return " They go from device to device, by " + (nccl ? *nccl : "NCCL") +
           " on the device's stream between the gradients and the step, " +
           (w.manifest.cluster.exact ? "and are added in the order of the shards"
                                     : "and are added in the order that NCCL chooses (cluster.exact is false)") +
           "; if two shards share a GPU, they go through the host.";
}

// The values of all rows that shards compute together.
std::string values_of(const Wiring& w, const ObjectivePlan& plan, const SharedCost& update, std::uint64_t shards) {
    std::string out;
    const bool on_device = learns_on_device(w, plan);
    if (update.numbers > 0) {
        out +=
            " Values of all rows, such as batch_mean, are those of all shards: " + std::to_string(8 * update.numbers) +
            " bytes a step" +
            (update.messages == 0
                 ? (on_device ? ", which go with gradients through the host, or else when results are reported."
                              : ", which go with the gradients.")
                 : ", in " + counted(update.messages, "message") + " before the gradients and with these.");
    }
    const std::int64_t frames = w.manifest.train.batch / static_cast<std::int64_t>(shards);
    SharedCost batch = shared_by(w, plan.prepare, frames, shards);
    const SharedCost after = shared_by(w, plan.conclude, frames, shards);
    batch.messages += after.messages;
    if (batch.messages > 0) {
        out += " Each collected batch takes " + counted(batch.messages, "message") + " more, of " +
               std::to_string(8 * (batch.numbers + after.numbers)) + " bytes in all.";
    }
    return out;
}

std::string percent(double share) {
    return number_text(std::round(1000 * share) / 10) + " %";
}

// What is left of the ideal speed if each update waits for its exchange, and what 16 shards have where computing takes
// 40 times as long as an exchange between two, which docs/scale.md compares with others.
std::string of_ideal(const ShardCost& cost, std::uint64_t shards) {
    constexpr double kTimes = 40, kGoal = 0.97;
    const double sent = sent_by_each(16, cost.bytes);
    const double needed = std::ceil(sent * kGoal / (1 - kGoal));
    return " By arithmetic from these times, " + std::to_string(shards) + " shards have " +
           percent(cost.share_us / (cost.share_us + cost.exchange_us)) +
           " of the ideal speed, because computing and exchanging do not overlap. 16 shards have " +
           percent(kTimes / (kTimes + sent)) + " where computing takes " + number_text(kTimes) +
           " times as long as an exchange between two, and " + percent(kGoal) + " where it takes " +
           number_text(needed) + " times as long.";
}

// Beside the time of one process, which needs no exchange.
std::string times_of(const ShardCost& cost, std::uint64_t shards) {
    const std::string out = " On one machine an exchange takes about " + milliseconds(cost.exchange_us);
    if (!cost.is_known) {
        return out + "; `tenon bench cluster MANIFEST` measures it and the computing of an update.";
    }
    return out + ", and computing a shard's part of an update about " + milliseconds(cost.share_us) + ", instead of " +
           milliseconds(cost.all_us) + " in one process" +
           (cost.is_slower() ? ": more processes make these updates slower. Shards pay where collecting takes most of "
                               "the time, or with larger minibatches or networks."
                             : ". `tenon bench cluster MANIFEST` measures both.") +
           of_ideal(cost, shards);
}

}  // namespace

std::string shards_of(const Wiring& w) {
    const auto shards = static_cast<std::uint64_t>(shard_count(w.manifest));
    if (shards == 1) {
        return "";
    }
    const auto share = [&](std::int64_t all) { return all / static_cast<std::int64_t>(shards); };
    const auto rows_of = [&](const ObjectivePlan& plan) { return share(plan.train.minibatch); };
    std::string out = " " + std::to_string(shards) + " processes share this: each has " +
                      counted(share(w.manifest.env.lanes), "lane");
    out += w.objectives.empty() ? "." : " and " + counted(rows_of(w.objectives.front()), "row") + " of each minibatch.";
    out +=
        " Buffers, samplers and orders of rows are each shard's own; gradients, their norm, steps, frames and ends are "
        "those of all.";
    for (const ObjectivePlan& plan : w.objectives) {
        const ShardCost cost = shard_cost(w, plan, shards);
        out += " Before each step of " + plan.unit.component + " each sends " +
               kilobytes(static_cast<double>(cost.bytes) * sent_by_each(shards, cost.bytes)) +
               " kB of gradients and waits for the slowest one.";
        const bool on_device = learns_on_device(w, plan);
        out += (on_device ? way_of(w, plan) : "") + values_of(w, plan, cost.values, shards);
        out += on_device ? "" : times_of(cost, shards);  // its figures are of CPUs
    }
    return out + " Shard 0 evaluates and writes checkpoints, while the others wait.";
}

}  // namespace tenon
