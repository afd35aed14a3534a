// SPDX-License-Identifier: Apache-2.0
#include "engines/isolation/remote.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error/listed.hpp"
#include "base/random/key.hpp"
#include "engines/isolation/served.hpp"
#include "plugins/plugin/error_text.hpp"

namespace tenon {
namespace {

// Prevents a plugin that fails immediately from failing a thousand times per second.
void back_off(std::uint32_t useless) {
    constexpr std::uint32_t kMost = 6;
    if (useless > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10) * (1U << std::min(useless, kMost)));
    }
}

void say(const std::string& sentence) {
    keep_error({sentence.data(), sentence.size()});
}

}  // namespace

Remote::Remote(WorkerOrder order, IsolationRules rules, std::uint64_t offers, std::string name, Place place)
    : order_(std::move(order)), rules_(rules), offers_(offers), name_(std::move(name)), place_(std::move(place)) {
    const std::uint32_t lanes = order_.lanes;
    // other kinds share state among lanes, or are fast, so they have one worker
    const std::uint32_t workers = is_env() ? std::clamp(rules_.workers, 1U, std::max(lanes, 1U)) : 1;
    for (std::uint32_t i = 0; i < workers; ++i) {
        const auto begin = static_cast<std::uint32_t>(std::uint64_t{lanes} * i / workers);
        const auto end = static_cast<std::uint32_t>(std::uint64_t{lanes} * (i + 1) / workers);
        shares_.push_back({.first = begin, .count = end - begin, .worker = {}, .exchange = {}});
    }
    lost_.lanes.assign(lanes, 0);
}

Remote::~Remote() {
    for (Share& share : shares_) {
        if (share.worker) {
            share.worker->end();
        }
    }
}

Status Remote::start() {
    for (Share& share : shares_) {
        TENON_TRY(begin(share));
        share.blank = is_env();  // other kinds have their initial state already
    }
    return {};
}

// Starts a worker that loads the plugin and makes the instance.
Status Remote::begin(Share& share) {
    Result<Worker> worker = Worker::start(rules_);
    if (!worker) {
        worker.error().place = place_;
        return std::move(worker.error());
    }
    share.worker.emplace(std::move(*worker));
    WorkerOrder order = order_;
    order.lanes = share.count;
    for (const auto& [call, bytes] : {std::pair(WorkerCall::kLoad, write_order(order)), {WorkerCall::kCreate, {}}}) {
        const Worker::Answer answer = share.worker->call(call, {}, bytes);
        const std::string text = take_error();
        const char* const doing = call == WorkerCall::kLoad ? "loaded" : "created";
        if (!answer.alive()) {
            return plugin_problem(name_ + ": its process " + answer.ended + " while it was " + doing, place_);
        }
        if (answer.status != TN_OK) {
            const std::string said = text.empty() ? "its status is " + std::to_string(answer.status) : text;
            return answer.status == TN_INVALID_ARGUMENT ? input_problem(name_ + ": " + said, place_)
                                                        : plugin_problem(name_ + ": " + said, place_);
        }
    }
    share.blank = true;
    return {};
}

tn_status Remote::outcome(const Worker::Answer& answer) {
    if (!answer.alive()) {
        say("its process " + answer.ended);
        return TN_FATAL;
    }
    return answer.status;
}

// Sends a new worker everything that was sent to the first one.
tn_status Remote::tell(Share& share) {
    tn_status status = TN_OK;
    if (specs_) {
        Bytes known;
        status = outcome(share.worker->call(WorkerCall::kDescribe, {}, *specs_, &known));
    }
    if (status == TN_OK && !common.empty()) {
        status = outcome(share.worker->call(WorkerCall::kLoadCommon, {}, common));
    }
    return status == TN_OK && bound_ ? bind(share) : status;
}

tn_status Remote::describe(Bytes specs) {
    specs_ = std::move(specs);
    for (Share& share : shares_) {
        Bytes said;
        const tn_status status = outcome(share.worker->call(WorkerCall::kDescribe, {}, *specs_, &said));
        if (status != TN_OK) {
            return status;
        }
        if (&share == shares_.data()) {
            described = read_specs_message(said);
        }
    }
    return TN_OK;
}

tn_status Remote::describe_columns(Bytes specs) {
    const tn_status status = describe(std::move(specs));
    if (status == TN_OK && !described) {
        say("its process describes its columns wrongly");
        return TN_INTERNAL;
    }
    return status;
}

tn_status Remote::bind(Share& share) {
    share.exchange = Exchange(inner_, outer_, share.first, share.count);
    if (!share.worker->make_room(share.exchange.bytes())) {
        say("there is not enough memory for its columns");
        return TN_OUT_OF_MEMORY;
    }
    return outcome(share.worker->call(WorkerCall::kBind, {}, write_columns(share.exchange.message())));
}

tn_status Remote::bind(std::span<const tn_column* const> inner, std::span<const tn_column* const> outer) {
    inner_.assign(inner.begin(), inner.end());
    outer_.assign(outer.begin(), outer.end());
    bound_ = true;
    for (Share& share : shares_) {
        if (const tn_status status = bind(share); status != TN_OK) {
            return status;
        }
    }
    return TN_OK;
}

tn_status Remote::begin_again(Share& share, const std::string& how, const char* function) {
    const std::string what = "its process " + how + " in " + function;
    lose(share);
    if (restarts_ >= rules_.restarts) {
        say("its process " + how + ", and the " + std::to_string(rules_.restarts) +
            " allowed restarts (isolation.restarts) are used up");
        return TN_FATAL;
    }
    back_off(share.useless++);
    ++restarts_;
    ++beginnings_;
    if (Status begun = begin(share); !begun) {
        say("its process " + how + "; restarting it failed: " + begun.error().sentence);
        return TN_FATAL;
    }
    if (const tn_status told = tell(share); told != TN_OK) {
        say("its process " + how + "; restarting it failed: " + take_error());
        return TN_FATAL;
    }
    const std::string lanes = counted(share.count, "lane") + ", " + std::to_string(share.first) + " to " +
                              std::to_string(share.first + share.count - 1);
    const bool is_policy = (offers_ & 4U) != 0;
    lost_.sentences.push_back(what + ": " +
                              (is_policy ? "what it kept of " + lanes + ", is lost, and the call was repeated"
                                         : lanes + ", lost this step and begin new episodes") +
                              " (restart " + std::to_string(restarts_) + " of at most " +
                              std::to_string(rules_.restarts) + ")");
    return TN_OK;
}

void Remote::lose(Share& share) {
    std::fill_n(lost_.lanes.begin() + share.first, share.count, std::uint8_t{1});
    lost_.any = true;
    share.blank = true;
}

std::uint64_t Remote::seed_of(std::uint32_t lane) const {
    return lane_seed(order_.key, lane, beginnings_);
}

const void* Remote::interface(const char* id) {
    const std::string_view wanted = id;
    for (std::size_t i = 0; i < std::size(kServedInterfaces); ++i) {
        if (wanted != kServedInterfaces[i] || (offers_ >> i & 1U) == 0) {
            continue;
        }
        switch (i) {
            case 0:
                return remote_env();
            case 1:
                return remote_transform((offers_ & kInvertible) != 0);
            case 2:
                return remote_policy();
            case 5:
                return remote_state();
            case 6:
                return remote_common();
            default:
                return nullptr;
        }
    }
    return nullptr;
}

}  // namespace tenon
