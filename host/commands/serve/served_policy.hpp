// SPDX-License-Identifier: Apache-2.0
// The policy of a checkpoint, which acts on rows of several clients at once. Each row has a seat, which keeps its
// memory: that of a recurrent policy, and that of the env's transforms, such as a stack of frames. An answer depends on
// the row and its memory, never on the other rows of the call; drawn actions depend on the order of calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/serve/act_request.hpp"
#include "commands/serve/token_stream.hpp"
#include "experience/env/transform_chain.hpp"
#include "run/drive/standing_policy.hpp"
#include "train/collect/actor.hpp"

namespace tenon {

// A row of a request, and where its actions go.
struct ServedRow {
    const ActRequest* request = nullptr;
    Rows* actions = nullptr;
    std::uint32_t row = 0;                   // of both
    std::optional<std::uint32_t> seat = {};  // none: nothing is remembered
    bool first = true;                       // of its episode
    TokenStream* stream = nullptr;           // gets each element of the action once it is known
    std::string fault = {};                  // why there is no action
};

class ServedPolicy {
public:
    // seats: of clients; rows: of one call, at most. The request's actions are those of requests that do not say how.
    static std::unique_ptr<ServedPolicy> open(const ScoringRequest& request, std::uint32_t seats, std::uint32_t rows,
                                              const Notice& notice, Problems& problems);

    [[nodiscard]] const ServedColumns& columns() const { return columns_; }
    [[nodiscard]] std::uint32_t rows() const { return storage_->lanes(); }
    // Whether it keeps memory between observations of an episode.
    [[nodiscard]] bool remembers() const;
    [[nodiscard]] const StandingPolicy& policy() const { return *policy_; }

    // At most rows(); a seat occurs once. A row that the policy cannot answer does not affect the others.
    void act(std::span<ServedRow> rows, bool samples);

    // From now on it is that of another checkpoint of the run. What clients have in memory stays.
    Status follow(const std::filesystem::path& checkpoint);

private:
    struct ActingBy {
        Actor actor;
        bool called = false;
    };
    // A column of the storage that the policy reads.
    struct Read {
        std::string key;
        View view;
        std::size_t bytes = 0;
        std::size_t input = 0;  // without a chain: of the request
    };

    ServedPolicy() = default;
    Status make(std::uint32_t seats, std::uint32_t rows, bool means);
    Status make_actor(const BuiltProgram& program, std::optional<ActingBy>& out);
    void name_columns();
    [[nodiscard]] bool reads(const std::string& key) const;
    void warm_up();
    [[nodiscard]] std::uint32_t chain_seat(const ServedRow& row, std::size_t at) const;
    void observe(ServedRow& row, std::uint32_t seat);
    void put(const ServedRow& row, std::uint32_t seat, std::uint32_t lane, ActingBy& by);
    Status take(const ServedRow& row, std::uint32_t seat, std::uint32_t lane, ActingBy& by);
    [[nodiscard]] std::optional<Watch> watch_of(std::span<ServedRow* const> rows) const;
    Status call(std::span<ServedRow* const> rows, std::span<const std::uint32_t> seats, ActingBy& by);

    std::unique_ptr<StandingPolicy> policy_;
    ServedColumns columns_;
    std::optional<Storage> storage_;  // [0]: the rows of a call
    std::optional<TransformChain> chain_;
    std::optional<ActingBy> best_;
    std::optional<ActingBy> drawn_;
    std::vector<Read> reads_;
    std::vector<std::byte> memories_;  // [seat] of the policy
    std::vector<std::byte> nothing_;   // the memory of a new episode
    std::uint32_t seats_ = 0;
    std::uint64_t calls_ = 0;  // the counter of drawn actions
    std::uint64_t begun_ = 0;  // episodes, for the seeds of transforms
};

}  // namespace tenon
