// SPDX-License-Identifier: Apache-2.0
#include "engines/isolation/served.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/data/state_bytes.hpp"
#include "plugins/plugin/call.hpp"
#include "plugins/plugin/floating_point.hpp"
#include "plugins/plugin/load.hpp"
#include "plugins/plugin/note.hpp"
#include "plugins/plugin/option_values.hpp"

namespace tenon {
namespace {

tn_status refuse(const std::string& sentence, tn_status status = TN_INVALID_ARGUMENT) {
    keep_error({sentence.data(), sentence.size()});
    return status;
}

tn_status refuse(const Problem& problem) {
    return refuse(problem.sentence, problem.fault == Fault::kInput ? TN_INVALID_ARGUMENT : TN_INTERNAL);
}

std::uint32_t number_of(std::uint64_t argument) {
    return static_cast<std::uint32_t>(argument);
}

// Both slots of a column at the host's offset; nothing if it would be out of bounds.
std::optional<View> placed(const SharedColumn& column, std::uint32_t lanes, std::byte* room, std::size_t size) {
    View view = dense(room + column.offset, column.dtype, join(Shape{2, std::int64_t{lanes}}, column.row));
    if (column.slots == 1) {
        view.strides[0] = 0;
    }
    const std::size_t bytes = view.bytes() / 2 * column.slots;
    return column.offset > size || bytes > size - column.offset ? std::nullopt : std::optional(view);
}

}  // namespace

Served::Served() = default;

Served::~Served() {
    if (made_) {
        loaded_->component->destroy(self_);
    }
}

template <class Function, class... Args>
tn_status Served::call(const char* name, Function* function, Args... args) {
    return call_plugin(loaded_->info.name, name, loaded_->info.place, function, args...);
}

tn_status Served::attempt(const Request& request) {
    const std::string path(reinterpret_cast<const char*>(request.bytes.data()), request.bytes.size());
    Result<Note> note = read_note(path);
    if (!note) {
        return refuse(note.error());
    }
    const PluginFile file{.path = path, .library = note->name, .note = *note};
    const Result<LoadedPlugin> loaded = LoadedPlugin::load(std::make_shared<const PluginFile>(file), services_.table());
    return loaded ? TN_OK : refuse(loaded.error());
}

tn_status Served::load(const Request& request) {
    std::optional<WorkerOrder> order = read_order(request.bytes);
    if (!order) {
        return refuse("the request to load a plugin cannot be read");
    }
    order_ = std::move(*order);
    registry_.emplace(Registry::scan({{.path = order_.folder, .source = {}, .place = {}}}));
    Result<ComponentInfo> info = registry_->find(order_.component);
    if (!info) {
        return refuse(info.error());
    }
    Result<LoadedComponent> loaded = registry_->load(*info, services_.table());
    if (!loaded) {
        return refuse(loaded.error());
    }
    loaded_ = std::move(*loaded);
    number = 0;
    for (std::size_t i = 0; i < std::size(kServedInterfaces); ++i) {
        number |= loaded_->offers(kServedInterfaces[i]) ? std::uint64_t{1} << i : 0;
    }
    const auto* const transform = table<tn_transform_api>("tenon.transform/1");
    number |= transform != nullptr && transform->invert != nullptr ? kInvertible : 0;
    return TN_OK;
}

tn_status Served::create() {
    const AbiOptions values(loaded_->info.note->options, order_.options);
    const tn_create_args args{.struct_size = sizeof(tn_create_args),
                              .lanes = order_.lanes,
                              .host = loaded_->host,
                              .options = values.pointers().data(),
                              .option_count = values.pointers().size(),
                              .key = order_.key};
    const FloatingPointGuard guard;
    const tn_status status = call("create", loaded_->component->create, &args, &self_);
    made_ = status == TN_OK;
    return status;
}

tn_status Served::describe(const Request& request) {
    if (const auto* const env = table<tn_env_api>("tenon.env/1")) {
        tn_env_info info{};
        info.struct_size = sizeof info;
        const tn_status status = call("describe", env->describe, self_, &info);
        if (status == TN_OK) {
            out = write_specs(info.specs, info.spec_count, info.determinism, info.episode_limit);
        }
        return status;
    }
    const std::optional<SpecList> specs = read_specs_message(request.bytes);
    if (!specs) {
        return refuse("specs cannot be read");
    }
    if (const auto* const policy = table<tn_policy_api>("tenon.policy/1")) {
        return call("describe", policy->describe, self_, specs->data(), specs->size());
    }
    tn_transform_info info{};
    info.struct_size = sizeof info;
    const auto* const transform = table<tn_transform_api>("tenon.transform/1");
    const tn_status status = call("describe", transform->describe, self_, specs->data(), specs->size(), &info);
    if (status == TN_OK) {
        out = write_specs(info.specs, info.spec_count, 0, 0);
    }
    return status;
}

tn_status Served::bind(const Request& request) {
    const std::optional<ColumnsMessage> message = read_columns(request.bytes);
    if (!message || message->status_offset > request.room_size ||
        message->lanes > request.room_size - message->status_offset) {
        return refuse("columns cannot be read");
    }
    ColumnTable inner;
    ColumnTable outer;
    for (const auto& [list, table] : {std::pair(&message->inner, &inner), std::pair(&message->outer, &outer)}) {
        for (const SharedColumn& column : *list) {
            const std::optional<View> view = placed(column, message->lanes, request.room, request.room_size);
            if (!view) {
                return refuse("column '" + column.key + "' is outside the shared memory");
            }
            table->add(column.key, *view);
        }
    }
    // Keep the old columns until the plugin has been given the new ones.
    const auto before = std::pair(std::exchange(inner_, std::move(inner)), std::exchange(outer_, std::move(outer)));
    auto* const lane_status = reinterpret_cast<std::uint8_t*>(request.room + message->status_offset);
    if (const auto* const env = table<tn_env_api>("tenon.env/1")) {
        env_ = {.struct_size = sizeof env_,
                .flags = 0,
                .slots = 2,
                .lanes = message->lanes,
                .columns = inner_.data(),
                .column_count = inner_.size(),
                .lane_status = lane_status,
                .needs_reset = nullptr};
        return call("bind", env->bind, self_, &env_);
    }
    if (const auto* const policy = table<tn_policy_api>("tenon.policy/1")) {
        policy_ = {.struct_size = sizeof policy_,
                   .flags = 0,
                   .slots = 2,
                   .lanes = message->lanes,
                   .columns = inner_.data(),
                   .column_count = inner_.size()};
        return call("bind", policy->bind, self_, &policy_);
    }
    transform_ = {.struct_size = sizeof transform_,
                  .flags = 0,
                  .slots = 2,
                  .lanes = message->lanes,
                  .inner = inner_.data(),
                  .inner_count = inner_.size(),
                  .outer = outer_.data(),
                  .outer_count = outer_.size()};
    return call("bind", table<tn_transform_api>("tenon.transform/1")->bind, self_, &transform_);
}

tn_status Served::reset(const Request& request) {
    const std::uint64_t lanes = env_.lanes;
    const bool seeded = request.args[1] != 0;
    if (request.bytes.size() != lanes * (seeded ? 9 : 1)) {
        return refuse("a mask cannot be read");
    }
    std::vector<std::uint64_t> seeds(seeded ? lanes : 0);
    std::ranges::copy(request.bytes.subspan(lanes), reinterpret_cast<std::byte*>(seeds.data()));
    const auto* const mask = reinterpret_cast<const std::uint8_t*>(request.bytes.data());
    return call("reset", table<tn_env_api>("tenon.env/1")->reset, self_, number_of(request.args[0]), mask,
                seeded ? std::as_const(seeds).data() : nullptr);
}

tn_status Served::step(const Request& request) {
    const tn_env_step step{.struct_size = sizeof step,
                           .slot = number_of(request.args[0]),
                           .next_slot = number_of(request.args[1]),
                           .first = number_of(request.args[2]),
                           .count = number_of(request.args[3]),
                           .flags = 0};
    return call("step", table<tn_env_api>("tenon.env/1")->step, self_, &step);
}

tn_status Served::transform(const Request& request) {
    const auto* const api = table<tn_transform_api>("tenon.transform/1");
    const std::size_t lanes = transform_.lanes;
    const bool masked = lanes > 0 && request.bytes.size() >= lanes;
    std::vector<std::uint64_t> seeds(masked && request.bytes.size() == lanes * (1 + sizeof(std::uint64_t)) ? lanes : 0);
    if (!seeds.empty()) {
        std::ranges::copy(request.bytes.subspan(lanes), reinterpret_cast<std::byte*>(seeds.data()));
    }
    const tn_transform_call what{.struct_size = sizeof what,
                                 .event = static_cast<std::int32_t>(request.args[4]),
                                 .slot = number_of(request.args[0]),
                                 .next_slot = number_of(request.args[1]),
                                 .first = number_of(request.args[2]),
                                 .count = number_of(request.args[3]),
                                 .mask = masked ? reinterpret_cast<const std::uint8_t*>(request.bytes.data()) : nullptr,
                                 .seeds = seeds.empty() ? nullptr : seeds.data()};
    return request.call == WorkerCall::kInvert ? call("invert", api->invert, self_, &what)
                                               : call("apply", api->apply, self_, &what);
}

tn_status Served::act(const Request& request) {
    const tn_policy_call what{.struct_size = sizeof what,
                              .mode = static_cast<std::int32_t>(request.args[1]),
                              .slot = number_of(request.args[0]),
                              .first = number_of(request.args[2]),
                              .count = number_of(request.args[3]),
                              .flags = 0,
                              .key = {.seed = request.args[4], .stream = request.args[5]},
                              .counter = request.args[6]};
    return call("act", table<tn_policy_api>("tenon.policy/1")->act, self_, &what);
}

tn_status Served::save(const Request& request, bool common) {
    StateBytes bytes;
    const tn_writer writer = bytes.writer();
    const tn_status status = common ? call("save", table<tn_common_api>("tenon.common/1")->save, self_, &writer)
                                    : call("save", table<tn_state_api>("tenon.state/1")->save, self_,
                                           number_of(request.args[0]), number_of(request.args[1]), &writer);
    out = std::move(bytes.data);
    return status;
}

tn_status Served::restore(const Request& request, bool common) {
    StateBytes bytes{.data = Bytes(request.bytes.begin(), request.bytes.end())};
    const tn_reader reader = bytes.reader();
    const tn_status status = common ? call("load", table<tn_common_api>("tenon.common/1")->load, self_, &reader)
                                    : call("load", table<tn_state_api>("tenon.state/1")->load, self_,
                                           number_of(request.args[0]), number_of(request.args[1]), &reader);
    number = bytes.at;
    return status;
}

tn_status Served::handle(const Request& request) {
    out.clear();
    number = 0;
    if (request.call == WorkerCall::kTry) {
        return attempt(request);
    }
    if (request.call == WorkerCall::kLoad) {
        return load(request);
    }
    if (!loaded_ || (request.call != WorkerCall::kCreate) != made_) {
        return refuse("the worker got a request out of order", TN_FAILED_PRECONDITION);
    }
    switch (request.call) {
        case WorkerCall::kCreate:
            return create();
        case WorkerCall::kDescribe:
            return describe(request);
        case WorkerCall::kBind:
            return bind(request);
        case WorkerCall::kReset:
            return reset(request);
        case WorkerCall::kStep:
            return step(request);
        case WorkerCall::kApply:
        case WorkerCall::kInvert:
            return transform(request);
        case WorkerCall::kAct:
            return act(request);
        case WorkerCall::kGather:
            return call("gather", table<tn_common_api>("tenon.common/1")->gather, self_);
        case WorkerCall::kSave:
        case WorkerCall::kSaveCommon:
            return save(request, request.call == WorkerCall::kSaveCommon);
        case WorkerCall::kLoadState:
        case WorkerCall::kLoadCommon:
            return restore(request, request.call == WorkerCall::kLoadCommon);
        default:
            return refuse("the worker got an unknown request");
    }
}

}  // namespace tenon
