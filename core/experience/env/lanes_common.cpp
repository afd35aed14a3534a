// SPDX-License-Identifier: Apache-2.0
// The state that all lanes of a transform share. A checkpoint holds the number of transforms and, for each one with
// such a state, its name and bytes. In an evaluation it is the state of training.
#include <algorithm>

#include "base/data/mapped.hpp"
#include "base/data/state_bytes.hpp"
#include "base/data/state_stream.hpp"
#include "base/error/listed.hpp"
#include "experience/env/lanes_state.hpp"
#include "experience/env/transform_chain.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon {
namespace {

constexpr const char* kSameTransforms =
    "list the transforms of the checkpoint's run in [[env.transforms]], in their order";

using Transform = Callee<tn_transform_api>;
using Transforms = std::vector<Transform>;

std::vector<const Transform*> with_common(const Transforms& transforms) {
    std::vector<const Transform*> out;
    for (const Transform& transform : transforms) {
        if (transform.common != nullptr) {
            out.push_back(&transform);
        }
    }
    return out;
}

Status save_one(const Transform& transform, StateBytes& bytes) {
    const tn_writer writer = bytes.writer();
    return transform.call("save", transform.common->save, &writer);
}

Status load_one(const Transform& transform, StateBytes& bytes) {
    const tn_reader reader = bytes.reader();
    TENON_TRY(transform.call("load", transform.common->load, &reader));
    if (bytes.at != bytes.data.size()) {
        return transform.problem("it read only " + std::to_string(bytes.at) + " of the " +
                                 counted(bytes.data.size(), "byte") + " that it saved");
    }
    return {};
}

}  // namespace

std::vector<std::string> Lanes::commons() const {
    return mapped<std::string>(with_common(state_->transforms),
                               [&](const Transform* const transform) { return transform->name; });
}

Status Lanes::save_common(const tn_writer& writer) const {
    StateSink sink(writer);
    const auto transforms = with_common(state_->transforms);
    sink.number<std::uint64_t>(transforms.size());
    for (const Transform* const transform : transforms) {
        StateBytes bytes;
        TENON_TRY(save_one(*transform, bytes));
        sink.text(transform->name);
        sink.number<std::uint64_t>(bytes.data.size());
        sink.bytes(bytes.data.data(), bytes.data.size());
    }
    return sink.status("the statistics of transforms");
}

Status Lanes::load_common(const tn_reader& reader) {
    return load_common_of(state_->transforms, reader);
}

Status load_common_of(const std::vector<Callee<tn_transform_api>>& all, const tn_reader& reader) {
    StateSource source(reader);
    const auto transforms = with_common(all);
    const auto count = source.number<std::uint64_t>();
    if (!source.failed() && count != transforms.size()) {
        return input_problem("the checkpoint holds statistics of " + std::to_string(count) +
                                 " transforms, but this run has " + std::to_string(transforms.size()) + " that learn",
                             {}, kSameTransforms);
    }
    for (const Transform* const transform : transforms) {
        const std::string name = source.text();
        StateBytes bytes;
        if (!source.blob(bytes.data)) {
            return source.status(transform->name);
        }
        if (name != transform->name) {
            return input_problem(
                "the checkpoint holds statistics of " + name + " where this run has " + transform->name,
                transform->place, kSameTransforms);
        }
        TENON_TRY(load_one(*transform, bytes));
    }
    return {};
}

std::vector<std::string> Lanes::without_join() const {
    std::vector<std::string> out;
    for (const Transform* const transform : with_common(state_->transforms)) {
        const tn_common_api& common = *transform->common;
        if (!inside(common, &tn_common_api::join) || common.part == nullptr || common.join == nullptr) {
            out.push_back(transform->name);
        }
    }
    return out;
}

Status Lanes::merge_by_join() {
    state_->learning = false;
    for (const Transform* const transform : with_common(state_->transforms)) {
        TENON_TRY(transform->call("join", transform->common->join, nullptr, 0U));
    }
    return {};
}

Status Lanes::part(const tn_writer& writer) const {
    StateSink sink(writer);
    for (const Transform* const transform : with_common(state_->transforms)) {
        StateBytes bytes;
        const tn_writer one = bytes.writer();
        TENON_TRY(transform->call("part", transform->common->part, &one));
        sink.number<std::uint64_t>(bytes.data.size());
        sink.bytes(bytes.data.data(), bytes.data.size());
    }
    return sink.status("what lanes have seen");
}

Status Lanes::join(std::span<StateBytes> parts) {
    for (const Transform* const transform : with_common(state_->transforms)) {
        std::vector<StateBytes> seen(parts.size());
        std::vector<tn_reader> readers;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const tn_reader whole = parts[i].reader();
            StateSource source(whole);
            if (!source.blob(seen[i].data)) {
                return source.status(transform->name);
            }
            readers.push_back(seen[i].reader());
        }
        const std::vector<const tn_reader*> addresses =
            mapped<const tn_reader*>(readers, [](const tn_reader& reader) { return &reader; });
        TENON_TRY(transform->call("join", transform->common->join, addresses.data(),
                                  static_cast<std::uint32_t>(addresses.size())));
    }
    return {};
}

Status Lanes::follow(const Lanes& training) {
    state_->learning = false;
    auto teachers = with_common(training.state_->transforms);
    for (const Transform* const transform : with_common(state_->transforms)) {
        const auto teacher = std::find_if(teachers.begin(), teachers.end(),
                                          [&](const Transform* t) { return t->name == transform->name; });
        if (teacher == teachers.end()) {
            return input_problem(transform->name + " learns while training, but training does not use it",
                                 transform->place, "list it in [[env.transforms]], too");
        }
        StateBytes bytes;
        TENON_TRY(save_one(**teacher, bytes));
        TENON_TRY(load_one(*transform, bytes));
        teachers.erase(teacher);
    }
    return {};
}

}  // namespace tenon
