// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/load.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "plugins/plugin/call.hpp"
#include "plugins/plugin/floating_point.hpp"
#include "plugins/plugin/interface.hpp"
#include "plugins/plugin/library.hpp"
#include "plugins/plugin/plugin_memory.hpp"

namespace tenon {
namespace {

// The size in the first minor; later fields are only read if struct_size includes them.
constexpr std::size_t kEntrySize = offsetof(tn_plugin_entry, get_component) + sizeof(void*);
constexpr std::size_t kComponentSize = offsetof(tn_component, get_interface) + sizeof(void*);
// No struct of the ABI will ever be this large; a larger size indicates uninitialised memory.
constexpr std::size_t kAbsurdSize = 1U << 16U;

std::string_view text(const char* c_string) {
    return c_string != nullptr ? c_string : "";
}

Problem disagree(const PluginFile& file, const std::string& what) {
    return plugin_problem(file.path.string() + ": its note and its code disagree: " + what);
}

std::string against(std::string_view note, std::string_view code) {
    return " is '" + std::string(note) + "' in the note, but '" + std::string(code) + "' in the code";
}

bool plausible(std::uint32_t size, std::size_t needed) {
    return size >= needed && size < kAbsurdSize;
}

Problem bad_size(const std::string& subject, std::uint32_t size, std::size_t needed) {
    return plugin_problem(subject + " has struct_size " + std::to_string(size) +
                          ", which is invalid; this host knows " + std::to_string(needed));
}

Status check_entry(const tn_plugin_entry& entry, const PluginFile& file) {
    const std::string path = file.path.string();
    if (entry.magic != TN_ENTRY_MAGIC) {
        return plugin_problem(path + " exports '" TN_ENTRY_SYMBOL
                                     "', but this is not a plugin entry: its magic number is wrong");
    }
    if (!plausible(entry.struct_size, kEntrySize)) {
        return bad_size("the entry of " + path, entry.struct_size, kEntrySize);
    }
    TENON_TRY(check_abi({entry.abi_major, entry.abi_minor_needed}, path));
    if (entry.abi_major != file.note->abi_major || entry.abi_minor_needed != file.note->abi_minor_needed) {
        const auto version = [](unsigned major, unsigned minor) {
            return std::to_string(major) + "." + std::to_string(minor);
        };
        return disagree(file, "the ABI" + against(version(file.note->abi_major, file.note->abi_minor_needed),
                                                  version(entry.abi_major, entry.abi_minor_needed)));
    }
    if (text(entry.name) != file.note->name) {
        return disagree(file, "the name" + against(file.note->name, text(entry.name)));
    }
    if (entry.component_count != file.note->components.size()) {
        return disagree(file, "the note lists " + std::to_string(file.note->components.size()) +
                                  " components, but the code has " + std::to_string(entry.component_count));
    }
    if (entry.init == nullptr || entry.deinit == nullptr || entry.get_component == nullptr) {
        return plugin_problem("the entry of " + path + " has a null in place of init, deinit or get_component");
    }
    return {};
}

const tn_component* get_component(const tn_plugin_entry& entry, const ComponentNote& note, const PluginFile& file,
                                  const Place& place) {
    const CallScope scope(file.library, "get_component", place);
    return entry.get_component(note.id.c_str());
}

Status check_component(const tn_plugin_entry& entry, const ComponentNote& note, const PluginFile& file,
                       const Place& place) {
    const std::string name = file.note->name + "/" + note.id;
    const tn_component* component = get_component(entry, note, file, place);
    if (component == nullptr) {
        return disagree(file, "the note lists '" + note.id + "', but the code has no such component");
    }
    if (!plausible(component->struct_size, kComponentSize)) {
        return bad_size(name, component->struct_size, kComponentSize);
    }
    if (text(component->id) != note.id) {
        return disagree(file, "the id" + against(note.id, text(component->id)));
    }
    if (text(component->kind) != note.kind) {
        return disagree(file, "the kind of " + note.id + against(note.kind, text(component->kind)));
    }
    if (component->create == nullptr || component->destroy == nullptr || component->get_interface == nullptr) {
        return plugin_problem(name + " has a null in place of create, destroy or get_interface");
    }
    const CallScope scope(name, "get_interface", place);
    return check_interfaces(*component, name);
}

}  // namespace

LoadedPlugin::LoadedPlugin(std::shared_ptr<const PluginFile> file, const tn_plugin_entry* entry)
    : file_(std::move(file)), entry_(entry) {}

LoadedPlugin::LoadedPlugin(LoadedPlugin&& other) noexcept
    : file_(std::move(other.file_)), entry_(std::exchange(other.entry_, nullptr)) {}

LoadedPlugin::~LoadedPlugin() {
    if (entry_ != nullptr) {
        const Place nowhere;
        const CallScope scope(file_->library, "deinit", nowhere);
        entry_->deinit();
    }
}

Result<LoadedPlugin> LoadedPlugin::load(const std::shared_ptr<const PluginFile>& file, const tn_host& host,
                                        const Place& place) {
    const FloatingPointGuard guard;
    const CallScope scope(file->library, kLoadingIt, place);
    const Library library = TENON_TRY(Library::load(file->path));
    void* const symbol = TENON_TRY(library.symbol(TN_ENTRY_SYMBOL));
    remember_plugin_memory(symbol, library.path());
    const auto* entry = static_cast<const tn_plugin_entry*>(symbol);
    TENON_TRY(check_entry(*entry, *file));
    if (Status started =
            check_call(call_plugin(file->library, "init", place, entry->init, &host), file->library, "init");
        !started) {
        return started.error();
    }
    LoadedPlugin plugin(file, entry);  // from here on, deinit must be called
    for (const ComponentNote& note : file->note->components) {
        TENON_TRY(check_component(*entry, note, *file, place));
    }
    return plugin;
}

}  // namespace tenon
