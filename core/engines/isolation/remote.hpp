// SPDX-License-Identifier: Apache-2.0
// An instance that runs in workers: the functions of its interfaces are the host's, which forward calls and restart
// workers that have ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "engines/isolation/exchange.hpp"
#include "engines/isolation/worker.hpp"
#include "plugins/plugin/apart.hpp"

namespace tenon {

class Remote {
public:
    // The order's options and lanes are the instance's; `offers` is what a worker has answered to kLoad.
    Remote(WorkerOrder order, IsolationRules rules, std::uint64_t offers, std::string name, Place place);
    Remote(const Remote&) = delete;
    Remote& operator=(const Remote&) = delete;
    ~Remote();

    Status start();

    // The table of an interface, or null.
    [[nodiscard]] const void* interface(const char* id);

    // The lanes of one worker.
    struct Share {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        std::optional<Worker> worker;
        Exchange exchange;
        bool blank = true;          // its lanes have no state until they are reset
        std::uint32_t useless = 0;  // consecutive workers that ended before they had done anything
    };

    [[nodiscard]] std::vector<Share>& shares() { return shares_; }
    [[nodiscard]] LostLanes& lost() { return lost_; }
    [[nodiscard]] const std::string& name() const { return name_; }

    // The status of the answer; TN_FATAL, with the reason as text, if the worker has ended.
    static tn_status outcome(const Worker::Answer& answer);

    // Store what a worker gets after its start, and send it to all workers. `described` is the first worker's
    // answer, if any; for describe_columns there must be one.
    tn_status describe(Bytes specs);
    tn_status describe_columns(Bytes specs);
    tn_status bind(std::span<const tn_column* const> inner, std::span<const tn_column* const> outer);

    // The worker has ended as `how` says, in `function`: restarts it; its lanes are lost. TN_FATAL with a text if it
    // has ended too often or cannot be restarted.
    tn_status begin_again(Share& share, const std::string& how, const char* function);

    // Marks its lanes as lost.
    void lose(Share& share);

    // The number of restarts, in this run and the one that it resumes.
    [[nodiscard]] std::uint32_t beginnings() const { return beginnings_; }
    void go_on_after(std::uint32_t beginnings) { beginnings_ = beginnings; }

    // The initial seed of a lane in a new worker.
    [[nodiscard]] std::uint64_t seed_of(std::uint32_t lane) const;

    std::optional<SpecList> described;    // the plugin's columns
    std::uint8_t* lane_status = nullptr;  // of the host, if the component is an env
    // The shared state of all lanes as it was last saved or loaded; the initial state of a new worker.
    Bytes common;

private:
    [[nodiscard]] bool is_env() const { return (offers_ & 1U) != 0; }
    Status begin(Share& share);
    tn_status tell(Share& share);
    tn_status bind(Share& share);

    WorkerOrder order_;
    IsolationRules rules_;
    std::uint64_t offers_;
    std::string name_;
    Place place_;
    std::vector<Share> shares_;
    LostLanes lost_;
    std::uint32_t restarts_ = 0;    // in this process
    std::uint32_t beginnings_ = 0;  // seeds depend on it
    std::optional<Bytes> specs_;
    std::vector<const tn_column*> inner_;
    std::vector<const tn_column*> outer_;
    bool bound_ = false;
};

// The instance for the `self` of a table's functions.
inline Remote& remote_of(void* self) {
    return *static_cast<Remote*>(self);
}

// Splits [first, first + count) by worker: f(share, first within it, count).
template <class F>
void each_share(Remote& remote, std::uint32_t first, std::uint32_t count, F&& f) {
    for (Remote::Share& share : remote.shares()) {
        const std::uint32_t begin = first > share.first ? first : share.first;
        const std::uint32_t end = std::min(first + count, share.first + share.count);
        if (begin < end) {
            f(share, begin - share.first, end - begin);
        }
    }
}

// The tables of the host's functions (remote_env.cpp and so on).
const void* remote_env();
const void* remote_transform(bool invertible);
const void* remote_policy();
const void* remote_state();
const void* remote_common();

}  // namespace tenon
