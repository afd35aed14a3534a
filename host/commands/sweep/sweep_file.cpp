// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/sweep_file.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "commands/sweep/read_space.hpp"
#include "commands/sweep/search/search.hpp"
#include "commands/sweep/table_reader.hpp"
#include "config/manifest/document.hpp"
#include "config/option/toml_text.hpp"
#include "shared/seeds/seed_list.hpp"

namespace tenon {
namespace {

constexpr std::size_t kMostTrials = 10'000;
constexpr std::int64_t kMostMembers = 1'000;
constexpr const char* kBase = "base";

class SweepReader {
public:
    SweepReader(const Document& document, Problems& problems)
        : document_(document), problems_(problems), root_(document.root, "", document.place, problems) {}

    SweepFile read() {
        root_.check_keys(
            {"base", "metric", "goal", "trials", "batch", "seeds", "search", "seed", "halving", "population", "space"});
        SweepFile out;
        read_bases(out);
        out.metric = root_.text("metric", "eval/mean_reward");
        out.metric_place = root_.place("metric");
        out.maximise = root_.one_of("goal", {"maximise", "minimise"}) == "maximise";
        out.batch = static_cast<std::size_t>(root_.integer("batch", 1, 1, 1024));
        out.seed = static_cast<std::uint64_t>(root_.integer("seed", 0, 0, INT64_MAX));
        read_seed_list(out);
        read_space(document_, out, problems_);
        read_halving(out);
        read_population(out);
        const std::size_t before = problems_.size();
        out.search = out.population ? root_.one_of("search", {"random", "grid"})
                                    : root_.one_of("search", {"tpe", "grid", "random", "cost"});
        if (problems_.size() == before) {  // how many trials there must be depends on the search
            read_trials(out);
        }
        for (const TomlEntry& entry : document_.root.entries) {
            const bool may_change = entry.key == "trials" && !out.population;
            out.text += may_change ? "" : toml_key(entry.key) + " = " + to_toml(entry.node) + "\n";
        }
        return out;
    }

private:
    void read_bases(SweepFile& out) {
        if (!root_.has(kBase)) {
            return root_.refuse(kBase, "must be given: the manifest of the trials, or a list of manifests");
        }
        const std::filesystem::path folder = std::filesystem::path(document_.place.file).parent_path();
        const TomlNode& node = *document_.root.find(kBase);
        const std::vector<std::string> names = root_.texts(kBase);
        for (std::size_t i = 0; i < names.size(); ++i) {
            out.bases.push_back({.file = (folder / names[i]).lexically_normal(),
                                 .name = names[i],
                                 .place = node.list() != nullptr ? (*node.list())[i].place : node.place});
        }
        if (names.size() > 1) {
            SpaceKey key{.key = kBase, .values = {}, .place = node.key_place};
            for (const std::string& name : names) {
                key.values.push_back(toml_string(name));
            }
            out.keys.push_back(std::move(key));
            out.space.push_back({.choices = names.size()});
        }
    }

    void read_seed_list(SweepFile& out) {
        const TomlNode* const node = document_.root.find("seeds");
        if (node != nullptr && std::holds_alternative<std::int64_t>(node->value)) {
            const std::string number = to_toml(*node);
            return root_.refuse(
                "seeds", "must be a text: \"" + number + "\" is the seed " + number + ", \"0-4\" are five seeds");
        }
        if (Result<std::vector<std::int64_t>> seeds = read_seeds(root_.text("seeds", "0"))) {
            out.seeds = *std::move(seeds);
        } else {
            problems_.push_back(std::move(seeds).error());
            problems_.back().place = root_.place("seeds");
        }
    }

    // A table of the root that may be missing.
    [[nodiscard]] const TomlTable* table(std::string_view key) {
        const TomlNode* const node = document_.root.find(key);
        if (node != nullptr && node->table() == nullptr) {
            root_.refuse(key, "must be a table");
        }
        return node != nullptr ? node->table() : nullptr;
    }

    void read_halving(SweepFile& out) {
        const TomlTable* const given = table("halving");
        if (given == nullptr) {
            return;
        }
        TableReader reader(*given, "halving", root_.place("halving"), problems_);
        reader.check_keys({"frames", "updates", "factor"});
        if (reader.has("frames") == reader.has("updates")) {
            return root_.refuse("halving", "must have frames or updates: the lengths at which trials are compared");
        }
        if (root_.has("batch")) {
            root_.refuse("batch", "cannot be given together with [halving], whose trials begin one by one");
        }
        const bool in_updates = reader.has("updates");
        const char* const key = in_updates ? "updates" : "frames";
        out.halving = HalvingTable{.rungs = reader.rising(key),
                                   .in_updates = in_updates,
                                   .factor = static_cast<std::size_t>(reader.integer("factor", 3, 2, 1'000)),
                                   .place = reader.place(key)};
    }

    void read_population(SweepFile& out) {
        const TomlTable* const given = table("population");
        if (given == nullptr) {
            return;
        }
        TableReader reader(*given, "population", root_.place("population"), problems_);
        reader.check_keys({"interval", "share", "step", "resample"});
        if (!reader.has("interval")) {
            reader.refuse("interval", "must be given: after how many frames members copy better ones");
        }
        out.population = PopulationTable{.interval = reader.integer("interval", 1, 1, INT64_MAX),
                                         .rules = {.share = reader.number("share", 0.25, 0.01, 0.5),
                                                   .step = reader.number("step", 0.1, 0.001, 1),
                                                   .resample = reader.number("resample", 0.25, 0, 1)},
                                         .place = reader.place("interval")};
        for (const char* other : {"halving", "batch"}) {
            if (root_.has(other)) {
                root_.refuse(other, "cannot be given together with [population]");
            }
        }
        if (out.bases.size() > 1) {
            root_.refuse(kBase, "must be one manifest for a [population], whose members copy each other's networks");
        }
    }

    void read_trials(SweepFile& out) {
        std::size_t most = out.population ? static_cast<std::size_t>(kMostMembers) : kMostTrials;
        if (out.search == "grid") {
            for (std::size_t i = 0; i < out.space.size(); ++i) {
                if (out.space[i].choices == 0) {
                    problems_.push_back(input_problem(
                        "space.\"" + out.keys[i].key + "\" is a range, but a grid needs values", out.keys[i].place));
                    return;
                }
            }
            most = grid_size(out.space, most);
        } else if (!root_.has("trials")) {
            root_.refuse("trials", out.population ? "must be given: the members of the population"
                                                  : "must be given for search = \"" + out.search +
                                                        "\"; search = \"grid\" tries all values");
        }
        const auto fallback = static_cast<std::int64_t>(most);
        const std::int64_t least = out.population && out.search != "grid" ? 2 : 1;
        out.trials =
            static_cast<std::size_t>(std::min(root_.integer("trials", fallback, least, kMostTrials), fallback));
    }

    const Document& document_;
    Problems& problems_;
    TableReader root_;
};

}  // namespace

std::optional<SweepFile> read_sweep(const std::filesystem::path& path, Problems& problems) {
    const std::optional<Document> document = read_manifest(path.string(), {}, problems);
    if (!document || !problems.empty()) {
        return std::nullopt;
    }
    if (document->root.find("env") != nullptr && document->root.find("base") == nullptr) {
        problems.push_back(input_problem(
            path.string() + " is a manifest, not a sweep", {},
            "write a file with base = " + toml_string(path.filename().string()) + " and [space] (docs/sweep.md)"));
        return std::nullopt;
    }
    SweepFile out = SweepReader(*document, problems).read();
    return problems.empty() ? std::optional(std::move(out)) : std::nullopt;
}

const SweepBase& base_at(const SweepFile& file, const Point& point) {
    return file.bases[file.bases.size() > 1 ? static_cast<std::size_t>(point.front()) : 0];
}

std::string value_text(const SpaceKey& key, const Dimension& dimension, double coordinate) {
    if (dimension.choices > 0) {
        return key.values[static_cast<std::size_t>(coordinate)];
    }
    return dimension.integer ? std::to_string(std::llround(coordinate)) : toml_float(coordinate);
}

}  // namespace tenon
