// SPDX-License-Identifier: Apache-2.0
#include "train/collect/env_copies.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/data/column_table.hpp"
#include "base/data/state_bytes.hpp"
#include "plugins/plugin/error_text.hpp"
#include "tenon/abi/planner.h"
#include "train/collect/make_source.hpp"
#include "train/plan/written_columns.hpp"
#include "train/progress/standing.hpp"

namespace tenon {
namespace {

struct Copies {
    const FrameSource* original = nullptr;
    std::unique_ptr<FrameSource> source = {};
    std::optional<Actor> guide = {};
    std::vector<double> live = {};
    ColumnTable columns = {};
    StateBytes bytes = {};
    tn_env_copies view = {};
    std::optional<Instance> policy = {};  // destroyed first

    static tn_status outcome(const Status& done) {
        if (!done) {
            keep_error({done.error().sentence.data(), done.error().sentence.size()});
        }
        return done ? TN_OK : TN_INTERNAL;
    }

    Status copy() {
        bytes.data.clear();
        bytes.at = 0;
        const Lanes& lanes = original->lanes();
        if (!lanes.commons().empty()) {
            TENON_TRY(source->lanes().follow(lanes));
        }
        TENON_TRY(lanes.save(bytes.writer()));
        TENON_TRY(source->lanes().load(bytes.reader()));
        copy_observations();
        return {};
    }

    void copy_observations() const {
        const Storage& from = original->storage();
        const Storage& to = source->storage();
        for (const StorageColumn& column : to.columns()) {
            const StorageColumn* const own = from.find(column.key);
            if (column.role != Role::kObservation || own == nullptr || own->view.data == nullptr) {
                continue;
            }
            for (std::uint32_t lane = 0; lane < to.lanes(); ++lane) {
                std::memcpy(row_at(column.view, to.head(), lane), row_at(own->view, from.head(), lane),
                            static_cast<std::size_t>(column.row.elements()) * size_of(column.dtype));
            }
        }
    }

    static tn_status take(void* ctx, std::uint32_t* slot) noexcept {
        Copies& self = *static_cast<Copies*>(ctx);
        *slot = self.source->storage().head();
        return outcome(self.copy());
    }
    static tn_status guided(void* ctx) noexcept {
        Copies& self = *static_cast<Copies*>(ctx);
        return outcome(self.guide->act(self.source->storage(), {.live = self.live}, 0));
    }
    static tn_status step(void* ctx, std::uint32_t* slot) noexcept {
        Copies& self = *static_cast<Copies*>(ctx);
        const Status done = self.source->lanes().step();
        *slot = self.source->storage().head();
        return outcome(done);
    }
};

}  // namespace

bool steps_copies(const Part& policy) {
    return policy.loaded->offers("tenon.planner/1");
}

Result<Instance> with_copies(Instance policy, Lanes copies, const FrameSource& original, const Wiring& wiring,
                             Executor* executor, Learner& learner) {
    const auto made = std::make_shared<Copies>(Copies{.original = &original});
    std::vector<StorageColumn> stored = storage_columns(copies.specs());
    for (const Port& port : wiring.guide.outputs) {
        stored.push_back(state_column(computed_spec(port, Role::kState)));
    }
    Storage rows = TENON_TRY(Storage::make(std::move(stored), 2, copies.count()));
    made->source = TENON_TRY(make_source(std::move(copies), std::move(rows)));
    if (wiring.guide.exists()) {
        made->live = live_at(wiring.live, {});
        const auto seed = static_cast<std::uint64_t>(wiring.manifest.run.seed);
        made->guide.emplace(
            TENON_TRY(Actor::make(wiring.guide, seed, *executor, learner, made->source->storage(), Composite())));
    }
    const Storage& storage = made->source->storage();
    for (const StorageColumn& column : storage.columns()) {
        made->columns.add(column.key, column.view);
    }
    made->view = {.struct_size = sizeof(tn_env_copies),
                  .lanes = storage.lanes(),
                  .slots = storage.slots(),
                  .reserved = 0,
                  .columns = made->columns.data(),
                  .column_count = made->columns.size(),
                  .ctx = made.get(),
                  .take = &Copies::take,
                  .step = &Copies::step,
                  .guide = wiring.guide.exists() ? &Copies::guided : nullptr};
    made->policy.emplace(std::move(policy));
    const Instance& inner = *made->policy;
    inner.interface<tn_planner_api>("tenon.planner/1")->attach(inner.self(), &made->view);
    return Instance(inner.name(), inner.place(),
                    {.self = inner.self(),
                     .interface = [made](const char* id) { return made->policy->interface<void>(id); },
                     .destroy = [] {},
                     .lost = inner.lost()});
}

}  // namespace tenon
