// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/group_naming.hpp"

#include <algorithm>

namespace tenon {
std::vector<std::string> group_names(const CompareRequest& request, const std::vector<FoundRun>& runs) {
    std::vector<std::string> out;
    if (!request.group_by.empty()) {
        for (const FoundRun& run : runs) {
            out.push_back(run.record.info.values.at(request.group_by));
        }
        out = short_values(out);
        for (std::string& value : out) {  // "ppo/ppo", but "train.epochs=8": a number alone says nothing
            const std::string text = plain_value({{request.group_by, value}}, request.group_by);
            value = text == value ? request.group_by + "=" + text : text;
        }
        return out;
    }
    const std::vector<std::string> folders = short_names(request.folders);
    const bool only = request.folders.size() == 1;
    std::vector<const RunInfo*> by_manifest;
    for (const FoundRun& run : runs) {
        if (run.given || only) {
            by_manifest.push_back(&run.record.info);
        }
    }
    const std::vector<std::string> names = manifest_groups(by_manifest, request.task_key);
    const bool single = std::ranges::all_of(names, [&](const std::string& name) { return name == names.front(); });
    std::size_t next = 0;
    for (const FoundRun& run : runs) {
        const bool named = run.given || only;
        const bool has_name = named && names[next] == plain_value(run.record.info.values, "run.name");
        const bool by_folder = !named || (only && single && !has_name);
        out.push_back(by_folder ? folders[run.folder] : names[next]);
        next += named ? 1 : 0;
    }
    return out;
}

}  // namespace tenon
