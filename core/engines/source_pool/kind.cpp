// SPDX-License-Identifier: Apache-2.0
// collector.kind = "pool": the kind, which the table of all kinds names (cmake/kinds.cmake).
#include <cstdint>
#include <utility>

#include "base/error/listed.hpp"
#include "engines/source_pool/pool_source.hpp"
#include "train/plan/source_kind.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

std::uint32_t lanes_to_wait_for(const Manifest& m) {
    return static_cast<std::uint32_t>(m.collector->ready.value_or((m.env.lanes + 1) / 2));
}

class PoolKind final : public SourceKind {
public:
    [[nodiscard]] std::string_view name() const override { return "pool"; }

    [[nodiscard]] Result<std::unique_ptr<FrameSource>> make(const Wiring& wiring, const Learner& /*learner*/,
                                                            Lanes lanes, Storage storage) const override {
        return PoolSource::make(std::move(lanes), std::move(storage), lanes_to_wait_for(wiring.manifest),
                                wiring.learns_by_batch() ? batch_steps(wiring) : 0);
    }

    void check(const Wiring& wiring, Problems& problems) const override {
        const Manifest& m = wiring.manifest;
        const std::int64_t ready = m.collector->ready.value_or(0);
        if (ready > m.env.lanes) {
            problems.push_back(input_problem("collector.ready is " + std::to_string(ready) +
                                                 (m.env.lanes == 1 ? ", but there is only " : ", but there are only ") +
                                                 counted(m.env.lanes, "lane"),
                                             place_of(m, "collector.ready")));
        }
    }

    [[nodiscard]] std::string explanation(const Wiring& w) const override {
        const std::string most = w.at_once == 0 ? "" : ", " + counted(w.at_once, "lane") + " at the same time at most";
        const std::uint32_t ready = lanes_to_wait_for(w.manifest);
        return "Lanes step by themselves" + most + ": as soon as " + counted(ready, "lane") +
               (ready == 1 ? " is" : " are") + " ready, those that are ready act. Runs differ by which lane is faster.";
    }
};

}  // namespace

const SourceKind& source_pool() {
    static const PoolKind out;
    return out;
}

}  // namespace tenon
