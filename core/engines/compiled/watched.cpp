// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/watched.hpp"

#include <optional>
#include <utility>

#include "compute/exec/outcome.hpp"
#include "engines/compiled/via_host.hpp"

namespace tenon::compiled {
namespace {

class Watched final : public Program {
public:
    Watched(std::unique_ptr<Program> compiled, std::shared_ptr<Program> reference, Watch watch)
        : compiled_(std::move(compiled)),
          reference_(std::move(reference)),
          watch_(std::move(watch)),
          graph_(*watch_.spec.graph) {
        watch_.spec.graph = &graph_;
        if (watch_.device != nullptr) {
            columns_.emplace(watch_.spec, watch_.learner, watch_.writes_on_device, watch_.device);
            if (watch_.writes_on_device) {
                tried_ = std::make_unique<OutputsToHost>(*compiled_, watch_.spec, watch_.learner, watch_.device);
            }
        }
    }

    Result<Computed*> run(const Call& call) override {
        const bool exchanges = watch_.trust->exchange != nullptr && call.exchange != nullptr && !call.part.is_dry();
        const bool tries = !watch_.trust->is_lost(exchanges);
        if (tries && !is_watched(call)) {
            return compiled_->run(call);
        }
        const Call on_host = TENON_TRY(columns_ ? columns_->bring(call) : Result<Call>(call));
        bool agrees = tries && compare(call, on_host);
        if (tries && exchanges) {
            ExchangeHead head;
            TENON_TRY(call.exchange->sum(head, {}, watch_.learner.real));
            agrees = agrees && !watch_.trust->is_lost(true);
        }
        if (agrees) {
            return compiled_->run(call);
        }
        Computed* const by = TENON_TRY(reference_->run(on_host));
        TENON_TRY(columns_ ? columns_->send_outputs(call) : Status());
        return by;
    }

private:
    // Counts updates, not calls, so that a resumed run watches what the uninterrupted run watches, and computes with
    // the same executor. If several minibatches form an update, the first is watched. A program without stages but with
    // metrics computes a whole batch between updates.
    bool is_watched(const Call& call) {
        if (!watch_.stages.empty()) {
            return call.numbers.updates < kWatched && call.part.first && !call.part.is_dry();
        }
        if (!graph_.metrics.empty() && call.numbers.updates >= kWatched) {
            return false;
        }
        return runs_++ < kWatched;
    }

    // False: the reference is to run. `on_host`: the call with columns in the host's memory.
    bool compare(const Call& call, const Call& on_host) {
        const Outcome theirs = try_out(*reference_, watch_.spec, watch_.stages, watch_.learner, on_host);
        if (!theirs.status) {
            return !call.part.last;  // the call itself is wrong, and the reference explains it best
        }
        if (tried_ != nullptr && !watch_.stages.empty()) {
            tried_->go_through(call.outputs);  // other memory would lose results that are reported later
        }
        Program& tried = tried_ != nullptr ? static_cast<Program&>(*tried_) : *compiled_;
        const Outcome ours = try_out(tried, watch_.spec, watch_.stages, watch_.learner, call);
        const std::optional<std::string> differs =
            ours.status ? difference(ours, theirs, watch_.spec, watch_.stages, watch_.learner)
                        : std::optional(ours.status.error().sentence);
        if (differs) {
            watch_.trust->lose();
            watch_.disagreed(watch_, on_host, *differs);
        }
        return !differs;
    }

    std::unique_ptr<Program> compiled_;
    std::shared_ptr<Program> reference_;
    Watch watch_;
    const graph::Graph graph_;
    std::optional<HostColumns> columns_;    // this and the next: if columns are on a device
    std::unique_ptr<OutputsToHost> tried_;  // the compiled program, if outputs are on the device, too
    int runs_ = 0;
};

}  // namespace

std::unique_ptr<Program> watch(std::unique_ptr<Program> compiled, std::shared_ptr<Program> reference, Watch watch) {
    return std::make_unique<Watched>(std::move(compiled), std::move(reference), std::move(watch));
}

}  // namespace tenon::compiled
