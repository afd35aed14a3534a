// SPDX-License-Identifier: Apache-2.0
#include "engines/isolation/isolate.hpp"

#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "engines/isolation/remote.hpp"
#include "engines/isolation/served.hpp"
#include "plugins/plugin/error_text.hpp"
#include "plugins/plugin/instance.hpp"

namespace tenon {
namespace {

WorkerOrder order_for(const ComponentInfo& info) {
    return {.folder = info.plugin->path.parent_path().string(),
            .component = info.plugin->note->name + "/" + info.note->id};
}

// The interfaces of a component, from a worker started only to ask.
Result<std::uint64_t> look_at(const ComponentInfo& info, const IsolationRules& rules) {
    Result<Worker> worker = Worker::start(rules);
    if (!worker) {
        worker.error().place = info.place;
        return std::move(worker.error());
    }
    const Worker::Answer answer = worker->call(WorkerCall::kLoad, {}, write_order(order_for(info)));
    if (!answer.alive()) {
        return plugin_problem(info.name + ": its process " + answer.ended + " while it was loaded", info.place);
    }
    if (answer.status != TN_OK) {
        return plugin_problem(take_error(), info.place);
    }
    const std::uint64_t offers = worker->number();
    worker->end();
    return offers;
}

}  // namespace

Result<LoadedComponent> isolate(const ComponentInfo& info, const IsolationRules& rules, const tn_host& host) {
    std::uint64_t offers = TENON_TRY(look_at(info, rules));
    LoadedComponent out{.info = info, .component = nullptr, .host = &host};
    out.offers_apart = [has = offers](const char* id) {
        for (std::size_t i = 0; i < std::size(kServedInterfaces); ++i) {
            if (std::string_view(id) == kServedInterfaces[i]) {
                return (has >> i & 1U) != 0;
            }
        }
        return false;
    };
    out.create_apart = [info, rules, has = offers](const std::vector<OptionValue>& options, std::uint32_t lanes,
                                                   tn_key key, const Place& place) -> Result<Instance> {
        WorkerOrder order = order_for(info);
        order.options = options;
        order.lanes = lanes;
        order.key = key;
        auto remote = std::make_shared<Remote>(std::move(order), rules, has, info.name, place);
        TENON_TRY(remote->start());
        return Instance(info.name, place,
                        {.self = remote.get(),
                         .interface = [remote = remote.get()](const char* id) { return remote->interface(id); },
                         .destroy = [remote]() mutable { remote.reset(); },
                         .lost = &remote->lost()});
    };
    return out;
}

}  // namespace tenon
