// SPDX-License-Identifier: Apache-2.0
// An env inside its wrappers, which are called as one env: the outermost wrapper steps the next one inwards, down to
// the env.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experience/env/describe.hpp"
#include "experience/env/env_tasks.hpp"
#include "experience/replay/callee.hpp"
#include "plugins/plugin/inner_env.hpp"
#include "tenon/abi/wrapper.h"

namespace tenon {

// A wrapper is an env to its caller; attach gives it the inner env.
struct WrapperCallee {
    Callee<tn_env_api> env;
    const tn_wrapper_api* wrapper = nullptr;

    static WrapperCallee of(const Instance& instance) {
        return {.env = Callee<tn_env_api>::of(instance, "tenon.env/1"),
                .wrapper = instance.interface<tn_wrapper_api>("tenon.wrapper/1")};
    }
};

class EnvStack {
public:
    EnvStack() = default;
    // An env without wrappers. NOLINTNEXTLINE(google-explicit-constructor): a stack of one is an env
    EnvStack(Callee<tn_env_api> env) { layers_.push_back(std::move(env)); }

    // Attaches the wrappers, innermost first, and describes each layer. The instances must outlive the stack, and so
    // must `tasks`, if the env is made of them.
    static Result<EnvStack> make(Callee<tn_env_api> env, std::vector<WrapperCallee> wrappers, std::uint32_t lanes,
                                 const EnvTasks* tasks = nullptr);

    // The env and then its wrappers outwards.
    [[nodiscard]] std::span<const Callee<tn_env_api>> layers() const { return layers_; }
    [[nodiscard]] const Callee<tn_env_api>& env() const { return layers_.front(); }
    [[nodiscard]] const Callee<tn_env_api>& outermost() const { return layers_.back(); }
    // The outermost layer that draws pictures, or the env if none does.
    [[nodiscard]] const Callee<tn_env_api>& drawn() const;
    [[nodiscard]] bool has_wrappers() const { return layers_.size() > 1; }

    // The description of the outermost layer. It is deterministic if all layers are.
    [[nodiscard]] Result<EnvInfo> describe() const;

    // Calls the outermost layer. The status is for problem_of.
    template <class Function, class... Args>
    tn_status call(std::string_view function_name, Function* function, Args... args) const {
        if (is_nested()) {
            static_cast<void>(InnerEnv::take_failed());
        }
        const Callee<tn_env_api>& to = outermost();
        return call_plugin(to.name, function_name, to.place, function, to.self, args...);
    }
    // The status of that call as a problem of the layer that caused it.
    [[nodiscard]] Status outcome(tn_status status, std::string_view function_name) const;

    // The layer that gave up the lane in its latest step or reset.
    [[nodiscard]] const Callee<tn_env_api>& blamed_for(std::uint32_t lane) const;
    // The layer whose column of this key holds a number that is not finite; the innermost one if several do.
    [[nodiscard]] const Callee<tn_env_api>& blamed_for(const std::string& key, std::uint32_t slot,
                                                       std::uint32_t lane) const;

private:
    // Whether a call passes through envs inside the one that is called.
    [[nodiscard]] bool is_nested() const { return layers_.size() > 1 || tasks_ != nullptr; }
    // The layer or, of the innermost one, the task that the lane has.
    [[nodiscard]] const Callee<tn_env_api>& blamed(std::size_t layer, std::uint32_t lane) const;

    std::vector<Callee<tn_env_api>> layers_;
    std::vector<std::unique_ptr<InnerEnv>> inner_;  // [layer] as the next layer outwards sees it
    bool deterministic_ = true;                     // of all layers but the outermost
    const EnvTasks* tasks_ = nullptr;               // the tasks of the innermost layer; null if it is one env
};

}  // namespace tenon
