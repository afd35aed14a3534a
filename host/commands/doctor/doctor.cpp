// SPDX-License-Identifier: Apache-2.0
#include "commands/doctor/doctor.hpp"

#include <sched.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "base/simd/level.hpp"
#include "base/thread/pool.hpp"
#include "commands/doctor/host_parts.hpp"
#include "engines/quarantine/gate.hpp"
#include "plugins/plugin/host_services.hpp"
#include "plugins/plugin/registry.hpp"

namespace tenon {
namespace {

unsigned usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
    return known ? static_cast<unsigned>(CPU_COUNT(&set)) : static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN));
}

std::uint64_t memory_bytes() {
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Adds the needs of each usable file, once: those that its components report.
void add_needs(Registry& registry, const PluginFile& file, const tn_host& host, Diagnosis& out) {
    for (const ComponentNote& note : file.note->components) {
        const Result<ComponentInfo> info = registry.find(file.library + "/" + note.id);
        Result<LoadedComponent> loaded = info ? registry.load(*info, host) : info.error();
        Result<std::vector<MachinePart>> needs =
            loaded ? needs_of(*loaded) : Result<std::vector<MachinePart>>(loaded.error());
        if (!needs) {
            out.problems.push_back(needs.error());
            return;
        }
        out.parts.insert(out.parts.end(), needs->begin(), needs->end());
    }
}

}  // namespace

Diagnosis diagnose(const std::vector<SearchFolder>& folders) {
    Diagnosis out;
    out.level = simd::name_of(simd::level());
    out.machine_level = simd::name_of(simd::machine_level());
    out.cores = usable_cores();
    out.memory = memory_bytes();
    out.parts = host_parts();
    Pool pool(1);
    const HostServices services(pool);
    Registry registry = Registry::scan(folders, {}, admit);
    out.problems = registry.problems();
    for (const SearchFolder& folder : folders) {
        out.folders.push_back({folder.path.lexically_normal().string(), folder.source, 0});
    }
    for (const std::shared_ptr<const PluginFile>& file : registry.files()) {
        for (Diagnosis::Folder& folder : out.folders) {
            folder.plugins += file->path.parent_path().lexically_normal() == folder.path ? 1 : 0;
        }
        if (file->problem) {
            out.problems.push_back(*file->problem);
        } else {
            add_needs(registry, *file, services.table(), out);
        }
    }
    return out;
}

}  // namespace tenon
