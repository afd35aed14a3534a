// SPDX-License-Identifier: Apache-2.0
#include "base/data/mapped.hpp"
#include "config/manifest/readers.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/manifest/value.hpp"

namespace tenon {
namespace {

BufferTable read_one(Manifest& manifest, Problems& problems, const FoundTable& found) {
    const TableReader reader(manifest, problems, table_schema("buffer"), found, {"transforms"});
    BufferTable out;
    out.component = reader.component();
    out.collects = true;
    out.name = found.path == "buffer" ? "" : found.path.substr(std::string_view("buffer.").size());
    reader.fill(out);
    read_components(manifest, problems, "buffer", found, "transforms", out.transforms);
    if (out.storage == "mmap" && out.path.empty()) {
        problems.push_back(input_problem(found.path + ".storage is \"mmap\", which needs path, the folder of its files",
                                         place_of(manifest, found.path + ".storage")));
    }
    if (!out.collects && out.init.empty() && out.storage != "mmap") {
        problems.push_back(
            input_problem("[" + found.path + "] does not collect, so it needs init, the source of its frames",
                          place_of(manifest, found.path + ".collects")));
    }
    if (const auto given = manifest.given.find(found.path + ".transform_init");
        given != manifest.given.end() && out.init.empty()) {
        problems.push_back(
            input_problem(found.path + ".transform_init is about the frames of init, but [" + found.path + "] has none",
                          given->second));
    }
    if (const auto given = manifest.given.find("buffer.collects");
        found.path == "buffer" && given != manifest.given.end()) {
        problems.push_back(input_problem("buffer.collects is for several buffers, each with its name", given->second,
                                         "write [buffer.NAME]"));
    }
    return out;
}

BufferTable read_mixture(Manifest& manifest, Problems& problems, const FoundTable& found) {
    BufferTable out;
    out.name = found.path.substr(std::string_view("buffer.").size());
    out.component.path = found.path;
    out.component.place = found.place;
    out.component.ref.place = found.place;
    for (const TomlEntry& entry : found.table->entries) {
        if (entry.key != "mix") {
            problems.push_back(input_problem(found.path + "." + entry.key + " is a key of a buffer, but [" +
                                                 found.path + "] is a mixture, which has only mix",
                                             entry.node.key_place,
                                             "write it in the tables of the buffers that it mixes"));
        }
    }
    const FoundTable mix = find_table(manifest, problems, found, "mix");
    double sum = 0;
    for (std::size_t i = 0; mix.table != nullptr && i < mix.table->entries.size(); ++i) {
        const TomlEntry& entry = mix.table->entries[i];
        const std::string path = path_of(mix.path, entry.key);
        manifest.given[path] = entry.node.place;
        OptionSchema schema;
        schema.name = entry.key;
        schema.type = OptionType::kFloat;
        schema.range = "(0,1)";
        Result<OptionValue> fraction = read_value(schema, entry.node, path);
        if (!is_done(fraction, problems)) {
            return out;
        }
        out.mix.push_back({entry.key, std::get<double>(*fraction)});
        sum += out.mix.back().fraction;
    }
    if (!mix.broken && std::abs(sum - 1) > 1e-9) {
        problems.push_back(input_problem(
            "the fractions of " + mix.path + " add up to " + to_toml(OptionValue(sum)) + ", not to 1", mix.place));
    }
    return out;
}

std::vector<std::string_view> names_of(const Manifest& manifest) {
    return mapped<std::string_view>(manifest.buffers, &BufferTable::name);
}

void check_mixtures(const Manifest& manifest, Problems& problems) {
    for (const BufferTable& buffer : manifest.buffers) {
        for (const MixTable& part : buffer.mix) {
            const BufferTable* const found = find_buffer(manifest, part.buffer);
            const Place place = place_of(manifest, "buffer." + buffer.name + ".mix." + part.buffer);
            if (found == nullptr) {
                problems.push_back(input_problem("[buffer." + buffer.name + "] mixes '" + part.buffer +
                                                     "', which is no buffer" +
                                                     did_you_mean(part.buffer, names_of(manifest)),
                                                 place));
            } else if (!found->mix.empty()) {
                problems.push_back(
                    input_problem("[buffer." + buffer.name + "] mixes '" + part.buffer + "', which is itself a mixture",
                                  place, "name the buffers that it mixes"));
            }
        }
    }
}

}  // namespace

const BufferTable* find_buffer(const Manifest& manifest, std::string_view name) {
    const auto found = std::ranges::find(manifest.buffers, name, &BufferTable::name);
    return found == manifest.buffers.end() ? nullptr : &*found;
}

const BufferTable* collecting_buffer(const Manifest& manifest) {
    const auto found = std::ranges::find_if(manifest.buffers, &BufferTable::collects);
    return found == manifest.buffers.end() ? nullptr : &*found;
}

bool has_named_buffers(const Manifest& manifest) {
    const auto exists = [&](const std::string& name) { return find_buffer(manifest, name) != nullptr; };
    const auto mixes = [&](const BufferTable& buffer) {
        return std::ranges::all_of(buffer.mix, exists, &MixTable::buffer) &&
               (buffer.mix.empty() == !buffer.component.ref.plugin.empty());
    };
    const auto reads = [&](const ObjectiveTable& objective) {
        return (!objective.buffer || exists(*objective.buffer)) &&
               std::ranges::all_of(objective.batches, exists, &BatchTable::buffer);
    };
    return std::ranges::all_of(manifest.buffers, mixes) && std::ranges::all_of(manifest.objectives, reads);
}

void read_buffers(Manifest& manifest, Problems& problems, const FoundTable& found) {
    if (!has_only_tables(found)) {
        manifest.buffers.push_back(read_one(manifest, problems, found));
        return;
    }
    for (const TomlEntry& entry : found.table->entries) {
        if (!check_name("buffer", entry.key, entry.node.key_place, problems)) {
            continue;
        }
        const FoundTable own = as_table(manifest, problems, path_of("buffer", entry.key), entry.node);
        const bool mixes = own.table != nullptr && own.table->find("mix") != nullptr;
        BufferTable buffer = mixes ? read_mixture(manifest, problems, own) : read_one(manifest, problems, own);
        if (const BufferTable* const first = collecting_buffer(manifest); first != nullptr && buffer.collects) {
            problems.push_back(input_problem("[buffer." + first->name + "] and [buffer." + buffer.name +
                                                 "] both take the collected frames, but only one can",
                                             own.place, "set collects = false in the other"));
            problems.back().also.push_back(first->component.place);
        }
        manifest.buffers.push_back(std::move(buffer));
    }
    check_mixtures(manifest, problems);
}

}  // namespace tenon
