// SPDX-License-Identifier: Apache-2.0
// An env as the wrapper around it sees it: the host's own functions, which mark whose call is in progress and remember
// whose fault a failure is. Otherwise a crash or an endless loop inside the env would be blamed on the wrapper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "tenon/abi/env.h"
#include "tenon/abi/render.h"
#include "tenon/abi/state.h"
#include "tenon/abi/wrapper.h"

namespace tenon {

class InnerEnv {
public:
    struct Parts {
        const tn_env_api* api = nullptr;
        void* self = nullptr;
        std::string name;
        Place place;
        const tn_state_api* state = nullptr;    // null if it saves none
        const tn_render_api* render = nullptr;  // null if it draws no pictures
    };
    InnerEnv(Parts parts, std::uint32_t lanes);
    InnerEnv(const InnerEnv&) = delete;  // the wrapper keeps its address
    InnerEnv& operator=(const InnerEnv&) = delete;
    ~InnerEnv() = default;

    // What attach passes to the wrapper.
    [[nodiscard]] const tn_wrapper_inner& offer() const { return offer_; }

    [[nodiscard]] const std::string& name() const { return parts_.name; }
    [[nodiscard]] const Place& place() const { return parts_.place; }

    // Whether it has given up the lane since the lane's latest reset.
    [[nodiscard]] bool gave_up(std::uint32_t lane) const { return gave_up_[lane] != 0; }

    // The columns that the wrapper has bound.
    [[nodiscard]] std::span<const tn_column* const> columns() const {
        return {buffers_.columns, static_cast<std::size_t>(buffers_.column_count)};
    }

    // The innermost env that returned a failure to its wrapper on this thread since the last call; null if none did.
    static const InnerEnv* take_failed();

private:
    friend struct HostTables;
    tn_status describe(tn_env_info& info);
    tn_status bind(const tn_env_buffers& buffers);
    tn_status reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds);
    tn_status step(const tn_env_step& asked);
    tn_status save(std::uint32_t first, std::uint32_t count, const tn_writer& writer);
    tn_status load(std::uint32_t first, std::uint32_t count, const tn_reader& reader);
    tn_status describe_picture(tn_picture_info& info);
    tn_status draw(std::uint32_t lane, std::uint8_t* pixels);
    static const void* get_interface(void* self, const char* id);

    template <class Function, class... Args>
    tn_status call(const char* function_name, Function* function, Args... args) const;
    [[nodiscard]] bool has(const tn_env_step& call) const;
    void note_given_up(std::uint32_t first, std::uint32_t count);

    Parts parts_;
    tn_wrapper_inner offer_;
    std::uint32_t lanes_;
    tn_env_buffers buffers_{};
    std::vector<std::uint8_t> gave_up_;  // [lane]
};

}  // namespace tenon
