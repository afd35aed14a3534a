// SPDX-License-Identifier: Apache-2.0
#include "train/collect/env_copies.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "base/data/column_table.hpp"
#include "base/data/state_bytes.hpp"
#include "plugins/plugin/error_text.hpp"
#include "tenon/abi/planner.h"
#include "train/collect/make_source.hpp"

namespace tenon {
namespace {

struct Copies {
    const Lanes* original = nullptr;
    std::unique_ptr<FrameSource> source = {};
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
        if (!original->commons().empty()) {
            TENON_TRY(source->lanes().follow(*original));
        }
        TENON_TRY(original->save(bytes.writer()));
        return source->lanes().load(bytes.reader());
    }

    static tn_status take(void* ctx, std::uint32_t* slot) noexcept {
        Copies& self = *static_cast<Copies*>(ctx);
        *slot = self.source->storage().head();
        return outcome(self.copy());
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

Result<Instance> with_copies(Instance policy, Lanes copies, const Lanes& original) {
    const auto made = std::make_shared<Copies>(Copies{.original = &original});
    made->source = TENON_TRY(make_source(std::move(copies)));
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
                  .step = &Copies::step};
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
