// SPDX-License-Identifier: Apache-2.0
// The resolved manifest: one file with every value of a run, including defaults, which repeats the run.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/manifest/manifest.hpp"
#include "config/option/schema.hpp"

namespace tenon {

struct ResolvedComponent {
    std::string path;  // of its ComponentTable
    std::vector<std::pair<std::string, OptionValue>> options;
};

// The values from resolve_options, with their names.
ResolvedComponent resolved(const ComponentTable& table, std::span<const OptionSchema> schemas,
                           std::vector<OptionValue> values);

// Tables in the order of manifest_tables(), keys in the order of their schemas: equal manifests give equal text. The
// options of a component that is not in `components` are written as given.
std::string write_resolved(const Manifest& manifest, std::span<const ResolvedComponent> components);

}  // namespace tenon
