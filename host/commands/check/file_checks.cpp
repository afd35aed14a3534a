// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "commands/check/elf_facts.hpp"
#include "commands/check/process_facts.hpp"
#include "commands/check/tailed.hpp"
#include "commands/check/workbench.hpp"
#include "plugins/plugin/floating_point.hpp"
#include "plugins/plugin/library.hpp"
#include "plugins/plugin/scan.hpp"

namespace tenon {
namespace {

constexpr std::string_view kMissingLibrary = "cannot open shared object file";

std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 3;
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
        out += (i == 0 ? "'" : ", '") + names[i] + "'";
    }
    return out + (names.size() > kMost ? " and " + std::to_string(names.size() - kMost) + " more" : "");
}

template <class Look>
Verdict look_at(const CheckSubject& subject, const Look& look) {
    const Result<ElfFacts> facts = read_elf_facts(subject.file->path);
    return facts ? look(*facts) : failed(facts.error());
}

Verdict check_name(const CheckSubject& subject) {
    const Status named = check_file_name(subject.file->path, *subject.file->note);
    return named ? passed() : failed(named.error());
}

Verdict check_exports(const CheckSubject& subject) {
    return look_at(subject, [](const ElfFacts& facts) {
        std::vector<std::string> others;
        for (const std::string& name : facts.exported) {
            if (name.rfind("tn_plugin_entry_v", 0) != 0) {
                others.push_back(name);
            }
        }
        return others.empty() ? passed()
                              : failed("it exports " + some_of(others) +
                                       " too; build it with tenon_add_plugin, which hides all symbols but the entry");
    });
}

Verdict check_unique(const CheckSubject& subject) {
    return look_at(subject, [](const ElfFacts& facts) {
        return facts.unique.empty() ? passed()
                                    : failed(some_of(facts.unique) +
                                             ": all libraries of a process share unique symbols; compile "
                                             "with -fno-gnu-unique");
    });
}

Verdict check_stack(const CheckSubject& subject) {
    return look_at(subject, [](const ElfFacts& facts) {
        return facts.has_executable_stack ? failed("it requires an executable stack; link with -z noexecstack")
                                          : passed();
    });
}

Verdict check_fast_math_code(const CheckSubject& subject) {
    return look_at(subject, [](const ElfFacts& facts) {
        return facts.has_fast_math_start
                   ? failed("it contains the start-up code of -ffast-math (set_fast_math); link without -ffast-math")
                   : passed();
    });
}

Verdict check_needed(const CheckSubject& subject) {
    const Result<Library> library = Library::load(subject.file->path);
    const bool is_missing = !library && library.error().sentence.find(kMissingLibrary) != std::string::npos;
    return is_missing ? failed(library.error()) : passed();
}

Verdict check_load(const CheckSubject& subject) {
    const Result<Library> library = Library::load(subject.file->path);
    return library ? passed() : failed(library.error());
}

Verdict check_agreement(const CheckSubject& subject) {
    const auto bench = Workbench::open(subject);
    return bench ? passed() : failed(bench.error());
}

// Loading restores the settings, so they are checked right after a function of the plugin has returned.
Verdict check_floating_point(const CheckSubject& subject) {
    const Library library = TENON_TRY(Library::load(subject.file->path));
    if (library.changed_floating_point()) {
        return failed("loading it changes rounding or denormal numbers in the whole process; link without -ffast-math");
    }
    Pool pool(1);
    const HostServices services(pool);
    const auto* const entry = static_cast<const tn_plugin_entry*>(*library.symbol(TN_ENTRY_SYMBOL));
    const FloatingPointGuard guard;
    if (entry->init(&services.table()) != TN_OK) {
        return failed("init fails", "tenon/abi/plugin.h: init");
    }
    entry->deinit();
    return guard.changed() ? failed("init changes rounding or denormal numbers in the whole process") : passed();
}

Verdict check_unknown_names(const CheckSubject& subject) {
    const auto bench = TENON_TRY(Workbench::open(subject));
    const LoadedPlugin& plugin = bench->plugin();
    for (const ComponentNote& note : subject.file->note->components) {
        const std::string less = note.id.substr(0, note.id.size() - 1);
        for (const std::string& id : {note.id + "x", less, std::string()}) {
            const bool is_other =
                std::any_of(subject.file->note->components.begin(), subject.file->note->components.end(),
                            [&](const ComponentNote& other) { return other.id == id; });
            if (!is_other && plugin.component(id) != nullptr) {
                return failed("get_component returns a component for '" + id + "', which the note does not list");
            }
        }
        for (const char* const id : {"tenon.nothing/1", "tenon.env/", "tenon.state/11", ""}) {
            if (plugin.component(note.id)->get_interface(id) != nullptr) {
                return failed(note.id + " returns an interface for '" + id + "', which does not exist",
                              "tenon/abi/plugin.h: get_interface");
            }
        }
    }
    return passed();
}

Verdict check_init_again(const CheckSubject& subject) {
    const auto bench = TENON_TRY(Workbench::open(subject));
    // The workbench holds the first init. Further inits are counted, and undone before it.
    const Library library = TENON_TRY(Library::load(subject.file->path));
    const auto* const entry = static_cast<const tn_plugin_entry*>(*library.symbol(TN_ENTRY_SYMBOL));
    for (int i = 0; i < 2; ++i) {
        if (const tn_status status = entry->init(&bench->host()); status != TN_OK) {
            return failed("init returns " + std::to_string(status) + " when it is called again");
        }
    }
    entry->deinit();
    entry->deinit();
    return passed();
}

Verdict check_newer_table(const CheckSubject& subject) {
    Pool pool(1);
    const HostServices services(pool);
    const Tailed<tn_host> host(services.table(), true);
    const LoadedPlugin plugin = TENON_TRY(LoadedPlugin::load(subject.file, host.value));
    return host.is_whole() ? passed() : failed("it writes into the host's table");
}

Verdict check_process(const CheckSubject& subject) {
    Pool pool(1);
    const HostServices services(pool);
    const ProcessFacts before = ProcessFacts::now();
    {
        const LoadedPlugin plugin = TENON_TRY(LoadedPlugin::load(subject.file, services.table()));
    }
    const std::string changed = change(before, ProcessFacts::now());
    return changed.empty() ? passed() : failed("after init and deinit " + changed);
}

constexpr std::array<Check, 13> kFileChecks = {{
    {"its file has the plugin's name", "tenon/abi/plugin.h: tn_plugin_entry", check_name},
    {"exports only its entry", "tenon/abi/plugin.h: tn_plugin_entry_v1", check_exports},
    {"has no unique symbols, which all libraries share", "tenon/abi/plugin.h: tn_plugin_entry_v1", check_unique},
    {"needs no executable stack", "tenon/abi/plugin.h: tn_plugin_entry_v1", check_stack},
    {"is linked without -ffast-math", "tenon/abi/plugin.h: tn_plugin_entry_v1", check_fast_math_code},
    {"the libraries that it needs are installed", "tenon/abi/plugin.h: tn_plugin_entry_v1", check_needed, kGate},
    {"can be loaded, with all symbols bound at once", "tenon/abi/plugin.h: tn_plugin_entry_v1", check_load, kGate},
    {"its note and its code agree", "tenon/abi/plugin.h: tn_plugin_entry", check_agreement, kGate},
    {"does not change rounding or denormal numbers", "tenon/abi/plugin.h: init", check_floating_point},
    {"returns null for unknown names", "tenon/abi/plugin.h: get_component", check_unknown_names},
    {"init may be called again", "tenon/abi/plugin.h: init", check_init_again},
    {"accepts the larger table of a newer host", "tenon/abi/host.h: tn_host", check_newer_table},
    {"leaves the process unchanged, up to its exit",
     "tenon/abi/plugin.h: deinit",
     check_process,
     {.ends_by_exit = true}},
}};

}  // namespace

std::span<const Check> file_checks() {
    return kFileChecks;
}

}  // namespace tenon
