// SPDX-License-Identifier: Apache-2.0
// A wrapper around an artificial env, which looks like an env itself. The checks of envs apply to the pair, and a
// failure is the wrapper's fault.
#pragma once

#include <cstdint>
#include <memory>

#include "base/data/column_table.hpp"
#include "base/data/spec_abi.hpp"
#include "commands/check/workbench.hpp"
#include "commands/check/world.hpp"
#include "experience/env/env_stack.hpp"
#include "plugins/plugin/inner_env.hpp"
#include "tenon/abi/env.h"

namespace tenon {

class WrappedWorld {
public:
    // Uses the first world that the wrapper accepts; otherwise returns the sentence with which it refused the first
    // one.
    static Result<std::unique_ptr<WrappedWorld>> make(const Workbench& bench, std::uint32_t lanes);

    [[nodiscard]] Callee<tn_env_api> callee();

private:
    friend struct HostTables;
    WrappedWorld(Instance instance, std::uint32_t lanes, const Composite& inner);

    // The artificial env, for the wrapper.
    static tn_status inner_describe(void* self, tn_env_info* info);
    static tn_status inner_bind(void* self, const tn_env_buffers* buffers);
    static tn_status inner_reset(void* self, std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds);
    static tn_status inner_step(void* self, const tn_env_step* call);
    static tn_status inner_picture(void* self, tn_picture_info* info);
    static tn_status inner_draw(void* self, std::uint32_t lane, std::uint8_t* pixels);

    // Functions of both, for the checks.
    tn_status describe(tn_env_info& info) const;
    tn_status bind(const tn_env_buffers& buffers);
    tn_status reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds);
    tn_status step(const tn_env_step& asked);
    tn_status save(std::uint32_t first, std::uint32_t count, const tn_writer& writer);
    tn_status load(std::uint32_t first, std::uint32_t count, const tn_reader& reader);

    template <class Function, class... Args>
    tn_status call(const char* name, Function* function, Args... args) const {
        return call_plugin(wrapper_.env.name, name, {}, function, wrapper_.env.self, args...);
    }

    Instance instance_;
    WrapperCallee wrapper_;
    Composite inner_;
    SpecTable inner_table_;
    World world_;
    std::uint32_t lanes_;
    ColumnTable columns_;  // of the world, as the wrapper has bound them
    InnerEnv offered_;
};

}  // namespace tenon
