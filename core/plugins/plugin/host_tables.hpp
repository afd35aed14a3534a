// SPDX-License-Identifier: Apache-2.0
// Interfaces of an env that is an object of the host: each function of a table calls the object's function of that
// name.
#pragma once

#include <cstdint>

#include "tenon/abi/env.h"
#include "tenon/abi/render.h"
#include "tenon/abi/state.h"

namespace tenon {

// A friend of the classes whose functions it calls.
struct HostTables {
    template <class Env>
    static const tn_env_api* env() {
        static constexpr tn_env_api kTable{
            .struct_size = sizeof(tn_env_api),
            .flags = 0,
            .describe = [](void* self, tn_env_info* info) { return of<Env>(self).describe(*info); },
            .bind = [](void* self, const tn_env_buffers* buffers) { return of<Env>(self).bind(*buffers); },
            .reset = [](void* self, std::uint32_t slot, const std::uint8_t* mask,
                        const std::uint64_t* seeds) { return of<Env>(self).reset(slot, mask, seeds); },
            .step = [](void* self, const tn_env_step* call) { return of<Env>(self).step(*call); }};
        return &kTable;
    }

    template <class Component>
    static const tn_state_api* state() {
        static constexpr tn_state_api kTable{
            .struct_size = sizeof(tn_state_api),
            .flags = 0,
            .save = [](void* self, std::uint32_t first, std::uint32_t count,
                       const tn_writer* writer) { return of<Component>(self).save(first, count, *writer); },
            .load = [](void* self, std::uint32_t first, std::uint32_t count,
                       const tn_reader* reader) { return of<Component>(self).load(first, count, *reader); }};
        return &kTable;
    }

    template <class Env>
    static const tn_render_api* pictures() {
        static constexpr tn_render_api kTable{
            .struct_size = sizeof(tn_render_api),
            .flags = 0,
            .describe = [](void* self, tn_picture_info* info) { return of<Env>(self).describe_picture(*info); },
            .draw = [](void* self, std::uint32_t lane,
                       std::uint8_t* pixels) { return of<Env>(self).draw(lane, pixels); }};
        return &kTable;
    }

private:
    template <class T>
    static T& of(void* self) {
        return *static_cast<T*>(self);
    }
};

}  // namespace tenon
