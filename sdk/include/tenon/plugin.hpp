// SPDX-License-Identifier: Apache-2.0
// TENON_PLUGIN: the last line of every plugin.
//
//     TENON_PLUGIN("classic", "0.1.0",
//                  tenon::env<CartPole>("CartPole-v1", "keep a pole upright on a cart"),
//                  tenon::env<Pendulum>("Pendulum-v1", "swing a pendulum up"));
//
// It defines the one symbol that a plugin exports and the note that a host reads without loading the file. The name is
// that of the file: classic.so. A manifest writes plugin = "classic/CartPole-v1". For more kinds of components see
// component.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "tenon/abi/plugin.h"
#include "tenon/component.hpp"
#include "tenon/note.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The functions behind tn_plugin_entry_v1. Plugin has kName, kVersion and the tuple kComponents.
template <class Plugin>
class PluginEntry {
public:
    static constexpr tn_plugin_entry make() {
        return {.magic = TN_ENTRY_MAGIC,
                .struct_size = sizeof(tn_plugin_entry),
                .abi_major = TN_ABI_MAJOR,
                .abi_minor_needed = kAbiMinorNeeded,
                .name = Plugin::kName,
                .version = Plugin::kVersion,
                .component_count = static_cast<std::uint32_t>(kTables.size()),
                .reserved = 0,
                .init = &init,
                .deinit = &deinit,
                .get_component = &get_component};
    }

private:
    static tn_status init(const tn_host* host) noexcept {
        if (host == nullptr || host->struct_size < offsetof(tn_host, free) + sizeof(host->free)) {
            return TN_FAILED_PRECONDITION;
        }
        ++users;
        return TN_OK;
    }

    static void deinit() noexcept { users -= users > 0 ? 1 : 0; }

    static const tn_component* get_component(const char* id) noexcept {
        for (const tn_component& table : kTables) {
            if (id != nullptr && std::string_view(table.id) == id) {
                return &table;
            }
        }
        return nullptr;
    }

    static constexpr auto kTables = std::apply(
        [](const auto&... component) { return std::array<tn_component, sizeof...(component)>{component.table()...}; },
        Plugin::kComponents);

    static constexpr bool ids_are_fine() {
        for (std::size_t i = 0; i < kTables.size(); ++i) {
            const std::string_view id = kTables[i].id;
            if (id.empty() || id.find_first_of("/ \t\n\"\\") != std::string_view::npos) {
                return false;
            }
            for (std::size_t j = 0; j < i; ++j) {
                if (id == kTables[j].id) {
                    return false;
                }
            }
        }
        return true;
    }
    static_assert(ids_are_fine(), "the ids of a plugin's components must be different words without '/'");

    static inline int users = 0;
};

}  // namespace TENON_SDK
}  // namespace tenon

#define TENON_PLUGIN(plugin_name, plugin_version, ...)                                    \
    namespace {                                                                           \
    struct TenonPlugin {                                                                  \
        static constexpr const char* kName = plugin_name;                                 \
        static constexpr const char* kVersion = plugin_version;                           \
        static constexpr auto kComponents = std::tuple{__VA_ARGS__};                      \
    };                                                                                    \
    __attribute__((section(".note.tenon"), used, aligned(4))) constexpr auto kTenonNote = \
        ::tenon::make_note<TenonPlugin>();                                                \
    }                                                                                     \
    constinit const tn_plugin_entry tn_plugin_entry_v1 = ::tenon::PluginEntry<TenonPlugin>::make()
