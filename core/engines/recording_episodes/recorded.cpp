// SPDX-License-Identifier: Apache-2.0
#include "engines/recording_episodes/recorded.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error/listed.hpp"
#include "experience/dataset/dataset.hpp"
#include "train/plan/wiring_acting.hpp"

namespace tenon {

std::vector<StorageColumn> recorded_columns(const Wiring& w) {
    std::vector<StorageColumn> out = storage_columns(w.env_specs);
    for (const graph::Column& column : columns_of_collecting(w)) {
        const auto stored = std::ranges::find(w.stored, column.spec.key, &StorageColumn::key);
        if (stored != w.stored.end()) {
            out.push_back(*stored);
        }
    }
    return out;
}

Result<std::string> recording_format(const Wiring& w) {
    const std::filesystem::path to = *w.manifest.collector->record;
    const std::string ending = to.extension().string();
    const Place place = place_of(w.manifest, "collector.record");
    if (ending == ".frames" || ending == ".safetensors") {
        return std::string();
    }
    if (!ending.empty() || to.filename().empty()) {
        return input_problem(
            "collector.record is '" + to.string() +
                "', which must be a file that ends in .frames, or the folder of a dataset, whose name has no ending",
            place);
    }
    const std::vector<std::string> writers = Dataset::writers(w.host->registry, w.host->services.table());
    if (writers.empty()) {
        return input_problem("collector.record is a folder for a dataset, but no plugin writes datasets", place,
                             "name a file that ends in .frames");
    }
    if (writers.size() > 1) {
        return input_problem("collector.record is a folder for a dataset, which several plugins write: " +
                                 listed(std::vector<std::string_view>(writers.begin(), writers.end())),
                             place, "name a file that ends in .frames, and convert it: tenon data convert --format");
    }
    return writers.front();
}

}  // namespace tenon
