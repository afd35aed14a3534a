// SPDX-License-Identifier: Apache-2.0
#include "experience/env/describe.hpp"

#include <algorithm>
#include <utility>

#include "base/data/action_mask.hpp"
#include "base/data/key.hpp"
#include "base/data/spec_abi.hpp"
#include "base/data/text.hpp"

namespace tenon {
namespace {

// The rules for the columns of a group that have a meaning (tenon/abi/env.h); empty if they hold.
std::string fault_in_group(const Spec& spec) {
    const std::string key = spec.group.empty() ? "" : spec.key.substr(spec.group.size() + 1);
    const Role role = key == "terminated" ? Role::kEnd : Role::kObservation;
    const std::string column = "column '" + spec.key + "' ";
    if (key == "present" || key == "terminated") {
        const bool one_each = spec.kind == SpecKind::kBinary && spec.dtype == DType::kBool && spec.shape.rank == 1;
        return one_each && spec.role == role
                   ? ""
                   : column + "must be one binary bool for each agent, with the role " + std::string(name_of(role)) +
                         ", because it says " +
                         (key == "present" ? "which agents take part" : "which agents have ended") +
                         "; it has the role " + std::string(name_of(spec.role)) + " and is " + to_string(spec);
    }
    if (spec.role == Role::kEnd) {
        return column + "has the role end, which only 'terminated' below a group of agents may have";
    }
    return is_reserved(key) ? column + "has a key that is reserved for the host below a group of agents" : "";
}

// The rules for the columns of an env, before or after transforms; empty if they hold.
std::string fault_of(const Composite& specs) {
    for (const Spec& spec : specs.specs) {
        if (is_reserved(spec.key)) {
            return "column '" + spec.key + "' has a key that is reserved for the host";
        }
        if (spec.role == Role::kState) {
            return "column '" + spec.key + "' has the role state, which only columns of policies may have";
        }
        if (std::string fault = fault_in_group(spec); !fault.empty()) {
            return fault;
        }
    }
    for (const Role role : {Role::kObservation, Role::kAction, Role::kReward}) {
        const bool found =
            std::any_of(specs.specs.begin(), specs.specs.end(), [&](const Spec& spec) { return spec.role == role; });
        if (!found) {
            return "it has no " + std::string(name_of(role)) + " column; an env needs at least one";
        }
    }
    const std::string of_masks = fault_of_masks(specs);
    return of_masks.empty() ? fault_of_texts(specs) : of_masks;
}

template <class Api>
Result<Composite> read_columns(const Callee<Api>& callee, const tn_spec* const* specs, std::uint32_t count) {
    Result<Composite> out = read_specs(specs, count, callee.name);
    if (!out) {
        out.error().place = callee.place;
    }
    return out;
}

// A problem if the columns break the rules for those of an env.
template <class Api>
Status check_columns(const Callee<Api>& callee, const Composite& columns, Fault fault_kind) {
    const std::string fault = fault_of(columns);
    if (fault.empty()) {
        return {};
    }
    Problem problem = callee.problem(fault);
    problem.fault = fault_kind;
    return problem;
}

}  // namespace

Result<EnvInfo> describe_env(const Callee<tn_env_api>& env, Fault refusal) {
    tn_env_info info{};
    info.struct_size = sizeof info;
    const tn_status described = call_plugin(env.name, "describe", env.place, env.api->describe, env.self, &info);
    if (Status status = check_call(described, env.name, "describe", env.place); !status) {
        status.error().fault = described == TN_INVALID_ARGUMENT ? refusal : status.error().fault;
        return std::move(status.error());
    }
    Composite specs = TENON_TRY(read_columns(env, info.specs, info.spec_count));
    TENON_TRY(check_columns(env, specs, Fault::kPlugin));
    if (info.episode_limit < 0) {
        return env.problem("its episode limit is " + std::to_string(info.episode_limit) +
                           "; it must be 0 (none) or more");
    }
    return EnvInfo{.specs = std::move(specs),
                   .deterministic = info.determinism == TN_DETERMINISM_BITS,
                   .episode_limit = info.episode_limit,
                   .all_lanes = (info.flags & TN_ENV_ALL_LANES) != 0};
}

Result<Composite> transformed(const Callee<tn_transform_api>& transform, const Composite& inner) {
    tn_transform_info info{};
    info.struct_size = sizeof info;
    const SpecTable table(inner);
    const tn_status described = call_plugin(transform.name, "describe", transform.place, transform.api->describe,
                                            transform.self, table.data(), table.size(), &info);
    if (Status status = check_call(described, transform.name, "describe", transform.place); !status) {
        if (described == TN_INVALID_ARGUMENT) {
            status.error().fault = Fault::kInput;  // the transform does not support its input, which the manifest chose
        }
        return std::move(status.error());
    }
    return read_columns(transform, info.specs, info.spec_count);
}

Result<Composite> describe_transform(const Callee<tn_transform_api>& transform, const Composite& inner) {
    Composite outer = TENON_TRY(transformed(transform, inner));
    // The manifest decides which columns disappear and what new ones are called, so a mistake is the user's.
    TENON_TRY(check_columns(transform, outer, Fault::kInput));
    if (transform.api->invert != nullptr) {
        return outer;
    }
    for (const Spec& spec : inner.specs) {
        const Spec* const after = outer.find(spec.key);
        if (spec.role == Role::kAction && (after == nullptr || !shares_memory(spec, *after, false))) {
            return transform.problem("it changes the action '" + spec.key +
                                     "', but has no function invert to change it back");
        }
    }
    return outer;
}

bool shares_memory(const Spec& inner, const Spec& outer, bool inverts) {
    const bool is_alike = inner.key == outer.key && inner.dtype == outer.dtype && inner.shape == outer.shape;
    // the policy's output must stay as it is, because updates learn from it
    return is_alike && (inner.role != Role::kAction || (inner == outer && !inverts));
}

}  // namespace tenon
