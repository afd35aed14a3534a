// SPDX-License-Identifier: Apache-2.0
// Drives a component of the kind dataset: episodes in its own file format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/spec.hpp"
#include "experience/replay/callee.hpp"
#include "plugins/plugin/registry.hpp"
#include "tenon/abi/dataset.h"

namespace tenon {

using DatasetFacts = std::map<std::string, std::string>;

struct DatasetEpisode {
    std::uint64_t length = 0;
    bool terminated = false;
    bool truncated = false;
    std::optional<std::uint64_t> seed;
};

struct DatasetContent {
    Composite columns;  // observations, actions and rewards
    std::vector<DatasetEpisode> episodes;
    DatasetFacts facts;
    std::vector<std::string> left_out;  // sentences about columns that cannot be read

    [[nodiscard]] std::uint64_t frames() const;
};

class Dataset {
public:
    // The component that claims the file or folder; none if no component does. The registry must outlive it.
    static Result<std::optional<Dataset>> claiming(const std::filesystem::path& path, Registry& registry,
                                                   const tn_host& host);
    // "minari", or "hdf5/minari" with its library.
    static Result<Dataset> named(std::string_view name, Registry& registry, const tn_host& host);

    // The names of all components.
    static std::vector<std::string> names(const Registry& registry);

    // The names of the components that write their format.
    static std::vector<std::string> writers(Registry& registry, const tn_host& host);

    [[nodiscard]] const std::string& name() const { return callee_.name; }

    // Opens a dataset that has at least one episode.
    Result<DatasetContent> open(const std::filesystem::path& path) const;
    // Reads length + 1 rows of an observation, or length rows of another column.
    Status read(std::uint64_t episode, std::uint32_t column, void* rows) const;

    // Writes a new dataset at `path`: begin, append for each episode, finish. The caller then renames `path` to
    // `target`.
    Status begin(const std::filesystem::path& path, const std::filesystem::path& target, const Composite& columns,
                 const DatasetFacts& facts) const;
    Status append(const DatasetEpisode& episode, const void* const* rows) const;
    Status finish() const;

private:
    [[nodiscard]] bool writes() const;
    explicit Dataset(Instance instance);
    static Result<Dataset> make(const ComponentInfo& info, Registry& registry, const tn_host& host);

    Instance instance_;
    Callee<tn_dataset_api> callee_;
};

}  // namespace tenon
