// SPDX-License-Identifier: Apache-2.0
#include "ways.hpp"

#include <cstring>
#include <utility>

#include "base/data/spec_values.hpp"
#include "base/random/key.hpp"
#include "config/manifest/options.hpp"
#include "engines/isolation/isolate.hpp"
#include "experience/env/describe.hpp"
#include "experience/env/seeds.hpp"
#include "plugins/plugin/call.hpp"
#include "plugins/plugin/option_values.hpp"

namespace tenon::bench {
namespace {

constexpr std::uint64_t kSeed = 0;
constexpr const char* kInterface = "tenon.env/1";

// Nothing that an env writes.
constexpr int kScrubbed = 0x5a;

template <class Visit>
void for_each_written(const Storage& storage, const Visit& visit) {
    for (const StorageColumn& column : storage.columns()) {
        if (column.role == Role::kObservation || column.role == Role::kReward || column.key == "terminated" ||
            column.key == "truncated") {
            visit(column.view);
            if (column.final.data != nullptr) {
                visit(column.final);
            }
        }
    }
}

// Valid random actions in all slots.
void draw_actions(const Composite& specs, const Storage& storage) {
    std::uint64_t counter = 0;
    for (const Spec& spec : specs.specs) {
        const auto elements = static_cast<std::uint64_t>(spec.shape.elements());
        for (std::uint32_t row = 0; spec.role == Role::kAction && row < storage.slots() * storage.lanes(); ++row) {
            void* const action = row_at(storage.find(spec.key)->view, row / storage.lanes(), row % storage.lanes());
            draw(spec, make_key(kSeed, "actions"), counter, action);
            counter += elements;
        }
    }
}

}  // namespace

Result<Env> Env::find(Workshop& workshop, const std::string& name) {
    Result<ComponentInfo> info = workshop.registry.find(name);
    if (!info) {
        return std::move(info.error());
    }
    Problems problems;
    const ComponentTable table{.path = "env", .schema = "env", .ref = {name, {}}, .options = {}, .place = {}};
    std::vector<OptionValue> options = resolve_options(table, info->note->options, problems);
    if (!problems.empty()) {
        return std::move(problems.front());
    }
    Result<LoadedComponent> component = workshop.registry.load(*info, workshop.services.table());
    if (!component) {
        return std::move(component.error());
    }
    return Env{*std::move(component), std::move(options)};
}

Result<Env> Env::apart(const Workshop& workshop) const {
    Result<LoadedComponent> isolated = isolate(component.info, {}, workshop.services.table());
    if (!isolated) {
        return std::move(isolated.error());
    }
    return Env{*std::move(isolated), options};
}

Result<Instance> Env::instance(std::uint32_t lanes) const {
    return Instance::create(component, options, lanes, make_key(kSeed, "env"));
}

Result<std::unique_ptr<Course>> Course::make(const Env& env, std::uint32_t lanes) {
    Result<Instance> instance = env.instance(lanes);
    if (!instance) {
        return std::move(instance.error());
    }
    Result<EnvInfo> info = describe_env(Callee<tn_env_api>::of(*instance, kInterface));
    if (!info) {
        return std::move(info.error());
    }
    Result<Storage> storage = Storage::make(storage_columns(info->specs), kSlots, lanes);
    if (!storage) {
        return std::move(storage.error());
    }
    draw_actions(info->specs, *storage);
    return std::unique_ptr<Course>(
        new Course(std::move(info->specs), *std::move(storage), lane_seeds(make_key(kSeed, "env"), lanes)));
}

std::vector<unsigned char> Course::written() const {
    std::vector<unsigned char> out;
    for_each_written(storage_, [&](const View& view) {
        const auto* const bytes = static_cast<const unsigned char*>(view.data);
        out.insert(out.end(), bytes, bytes + view.bytes());
    });
    return out;
}

void Course::scrub() {
    for_each_written(storage_, [](const View& view) { std::memset(view.data, kScrubbed, view.bytes()); });
}

Result<std::unique_ptr<ByHost>> ByHost::make(const Env& env, Course& course, Workshop& workshop) {
    Result<Instance> instance = env.instance(course.storage().lanes());
    if (!instance) {
        return std::move(instance.error());
    }
    Result<Lanes> lanes = Lanes::make(*std::move(instance), {}, {}, course.storage().lanes(), workshop.pool);
    if (!lanes) {
        return std::move(lanes.error());
    }
    Status status = lanes->bind(course.storage());
    if (status) {
        status = lanes->reset(nullptr, course.seeds());
    }
    if (!status) {
        return std::move(status.error());
    }
    return std::unique_ptr<ByHost>(new ByHost(*std::move(lanes)));
}

Status ByHost::run(std::uint32_t steps) {
    for (; steps > 0; --steps) {
        if (Status status = lanes_.step(); !status) {
            return status;
        }
    }
    return {};
}

Result<std::unique_ptr<ByAbi>> ByAbi::make(const Env& env, Course& course) {
    const std::uint32_t lanes = course.storage().lanes();
    Result<Instance> instance = env.instance(lanes);
    if (!instance) {
        return std::move(instance.error());
    }
    const Composite side = course.specs();
    Result<LaneColumns> columns = lay_out({&side, 1}, {}, course.storage());
    if (!columns) {
        return std::move(columns.error());
    }
    std::unique_ptr<ByAbi> out(new ByAbi(*std::move(instance), *std::move(columns), lanes));
    const ColumnTable& table = out->columns_.sides.front();
    out->buffers_ = {.struct_size = sizeof(tn_env_buffers),
                     .flags = 0,
                     .slots = Course::kSlots,
                     .lanes = lanes,
                     .columns = table.data(),
                     .column_count = table.size(),
                     .lane_status = out->lane_status_.data(),
                     .needs_reset = nullptr};
    out->api_ = out->instance_.interface<tn_env_api>(kInterface);
    void* const self = out->instance_.self();
    if (Status status = out->instance_.check(out->api_->bind(self, &out->buffers_), "bind"); !status) {
        return std::move(status.error());
    }
    if (Status status = out->instance_.check(out->api_->reset(self, 0, nullptr, course.seeds()), "reset"); !status) {
        return std::move(status.error());
    }
    return out;
}

Status ByAbi::run(std::uint32_t steps) {
    tn_env_step step{
        .struct_size = sizeof step, .slot = 0, .next_slot = 1, .first = 0, .count = buffers_.lanes, .flags = 0};
    for (; steps > 0; --steps) {
        if (const tn_status status = api_->step(instance_.self(), &step); status != TN_OK) {
            return instance_.check(status, "step");
        }
        step.slot = step.next_slot;
        step.next_slot = step.slot + 1 == Course::kSlots ? 0 : step.slot + 1;
    }
    return {};
}

std::unique_ptr<Inlined> make_inlined(const Env& env, Course& course, const Workshop& workshop) {
    const AbiOptions options(env.component.info.note->options, env.options);
    const tn_create_args args{.struct_size = sizeof(tn_create_args),
                              .lanes = course.storage().lanes(),
                              .host = &workshop.services.table(),
                              .options = options.pointers().data(),
                              .option_count = options.pointers().size(),
                              .key = make_key(kSeed, "env")};
    const auto view = [&](const char* key) { return course.storage().find(key)->view; };
    const InlinedColumns columns{.slots = Course::kSlots,
                                 .lanes = course.storage().lanes(),
                                 .action = view("action").as<std::int64_t>(),
                                 .reward = view("reward").as<float>(),
                                 .terminated = view("terminated").as<bool>(),
                                 .truncated = view("truncated").as<bool>(),
                                 .observation = view("observation").as<float>(),
                                 .last = course.storage().find("observation")->final.as<float>()};
    auto out = std::make_unique<Inlined>(args, columns);
    out->reset(course.seeds());
    return out;
}

}  // namespace tenon::bench
