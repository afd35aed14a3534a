// SPDX-License-Identifier: Apache-2.0
#include "experience/env/env_stack.hpp"

#include <algorithm>
#include <utility>

#include "experience/env/row_values.hpp"

namespace tenon {
namespace {

// Whether a column, as a wrapper has bound it, has a number in this row that is not finite; false if it cannot be read.
bool holds_not_finite(const tn_tensor& tensor, std::uint32_t slot, std::uint32_t lane) {
    const bool is_float = tensor.dtype == TN_F32 || tensor.dtype == TN_F64;
    if (!is_float || tensor.data == nullptr || tensor.rank < 2 || tensor.rank > kMaxRank) {
        return false;
    }
    const View view = view_of(tensor);
    return slot < view.shape[0] && lane < view.shape[1] && !is_finite(view, slot, lane, 1);
}

}  // namespace

Result<EnvStack> EnvStack::make(Callee<tn_env_api> env, std::vector<WrapperCallee> wrappers, std::uint32_t lanes,
                                const EnvTasks* tasks) {
    EnvStack out(std::move(env));
    out.tasks_ = tasks;
    for (WrapperCallee& wrapper : wrappers) {
        // The next wrapper will read these columns, so they are checked first.
        EnvInfo info = TENON_TRY(out.describe());
        out.deterministic_ = info.deterministic;
        const Callee<tn_env_api>& layer = out.outermost();
        out.inner_.push_back(std::make_unique<InnerEnv>(InnerEnv::Parts{.api = layer.api,
                                                                        .self = layer.self,
                                                                        .name = layer.name,
                                                                        .place = layer.place,
                                                                        .state = layer.state,
                                                                        .render = layer.render},
                                                        lanes));
        TENON_TRY(wrapper.env.call("attach", wrapper.wrapper->attach, &out.inner_.back()->offer()));
        out.layers_.push_back(std::move(wrapper.env));
    }
    return out;
}

Result<EnvInfo> EnvStack::describe() const {
    if (!has_wrappers()) {
        return describe_env(env());
    }
    // The manifest has put the wrapper around its env, so a wrapper that does not support it is the user's mistake.
    Result<EnvInfo> info = describe_env(outermost(), Fault::kInput);
    if (info) {
        info->deterministic = info->deterministic && deterministic_;
    }
    return info;
}

const Callee<tn_env_api>& EnvStack::drawn() const {
    const auto found =
        std::find_if(layers_.rbegin(), layers_.rend(), [](const auto& each) { return each.render != nullptr; });
    return found == layers_.rend() ? env() : *found;
}

Status EnvStack::outcome(tn_status status, std::string_view function_name) const {
    const InnerEnv* const failed = status == TN_OK ? nullptr : InnerEnv::take_failed();
    return failed == nullptr ? check_call(status, outermost().name, function_name, outermost().place)
                             : check_call(status, failed->name(), function_name, failed->place());
}

const Callee<tn_env_api>& EnvStack::blamed(std::size_t layer, std::uint32_t lane) const {
    return layer == 0 && tasks_ != nullptr ? tasks_->task_of(lane) : layers_[layer];
}

const Callee<tn_env_api>& EnvStack::blamed_for(std::uint32_t lane) const {
    for (std::size_t i = 0; i < inner_.size(); ++i) {
        if (inner_[i]->gave_up(lane)) {
            return blamed(i, lane);
        }
    }
    return blamed(layers_.size() - 1, lane);
}

const Callee<tn_env_api>& EnvStack::blamed_for(const std::string& key, std::uint32_t slot, std::uint32_t lane) const {
    for (std::size_t i = 0; i < inner_.size(); ++i) {
        for (const tn_column* const column : inner_[i]->columns()) {
            const std::string_view name(column->key.data, column->key.size);
            if (name == key && holds_not_finite(column->tensor, slot, lane)) {
                return blamed(i, lane);
            }
        }
    }
    return blamed(layers_.size() - 1, lane);
}

}  // namespace tenon
