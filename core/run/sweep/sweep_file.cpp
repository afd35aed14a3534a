// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/sweep_file.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "config/manifest/document.hpp"
#include "config/manifest/value.hpp"
#include "config/option/toml_text.hpp"
#include "run/search/search.hpp"
#include "run/sweep/read_space.hpp"
#include "run/sweep/seed_list.hpp"

namespace tenon {
namespace {

constexpr std::size_t kMostTrials = 10'000;

const std::vector<std::string_view>& known_keys() {
    static const std::vector<std::string_view> keys = {"base",  "metric", "goal", "trials", "batch",
                                                       "seeds", "search", "seed", "space"};
    return keys;
}

class SweepReader {
public:
    SweepReader(const Document& document, Problems& problems) : document_(document), problems_(problems) {}

    SweepFile read() {
        for (const TomlEntry& entry : document_.root.entries) {
            if (std::ranges::find(known_keys(), entry.key) == known_keys().end()) {
                problems_.push_back(unknown_key_problem("", entry.key, entry.node, known_keys()));
            }
        }
        SweepFile out;
        const std::filesystem::path folder = std::filesystem::path(document_.place.file).parent_path();
        out.base = (folder / text("base", "")).lexically_normal();
        out.base_place = place("base");
        if (document_.root.find("base") == nullptr) {
            refuse("base", "must be given: the manifest of the trials");
        }
        out.metric = text("metric", "eval/mean_reward");
        out.metric_place = place("metric");
        out.maximise = one_of("goal", {"maximise", "minimise"}) == "maximise";
        out.search = one_of("search", {"tpe", "grid", "random"});
        out.batch = static_cast<std::size_t>(integer("batch", 1, 1, 1024));
        out.seed = static_cast<std::uint64_t>(integer("seed", 0, 0, INT64_MAX));
        if (Result<std::vector<std::int64_t>> seeds = read_seeds(text("seeds", "0"))) {
            out.seeds = *std::move(seeds);
        } else {
            problems_.push_back(std::move(seeds).error());
            problems_.back().place = place("seeds");
        }
        read_space(document_, out, problems_);
        read_trials(out);
        for (const TomlEntry& entry : document_.root.entries) {
            out.text += entry.key == "trials" ? "" : toml_key(entry.key) + " = " + to_toml(entry.node) + "\n";
        }
        return out;
    }

private:
    void read_trials(SweepFile& out) {
        std::size_t most = kMostTrials;
        if (out.search == "grid") {
            for (std::size_t i = 0; i < out.space.size(); ++i) {
                if (out.space[i].choices == 0) {
                    problems_.push_back(input_problem(
                        "space.\"" + out.keys[i].key + "\" is a range, but a grid needs values", out.keys[i].place));
                    return;
                }
            }
            most = grid_size(out.space, kMostTrials);
        } else if (document_.root.find("trials") == nullptr) {
            refuse("trials", "must be given for search = \"" + out.search + "\"");
        }
        const auto fallback = static_cast<std::int64_t>(most);
        out.trials = static_cast<std::size_t>(std::min(integer("trials", fallback, 1, kMostTrials), fallback));
    }

    [[nodiscard]] Place place(std::string_view key) const {
        const TomlNode* const node = document_.root.find(key);
        return node != nullptr ? node->place : document_.place;
    }

    void refuse(std::string_view key, const std::string& why) {
        problems_.push_back(input_problem(std::string(key) + " " + why, place(key)));
    }

    std::string text(std::string_view key, std::string fallback) {
        const TomlNode* const node = document_.root.find(key);
        if (node == nullptr) {
            return fallback;
        }
        if (const auto* const value = std::get_if<std::string>(&node->value); value != nullptr && !value->empty()) {
            return *value;
        }
        refuse(key, "must be a string that is not empty, but is " + to_toml(*node));
        return fallback;
    }

    std::string one_of(std::string_view key, const std::vector<std::string_view>& names) {
        std::string out = text(key, std::string(names.front()));
        if (std::ranges::find(names, out) == names.end()) {
            std::string listed;
            for (const std::string_view name : names) {
                listed += (listed.empty() ? "" : name == names.back() ? " or " : ", ") + toml_string(name);
            }
            refuse(key, "must be " + listed + ", but is " + toml_string(out) + did_you_mean(out, names));
        }
        return out;
    }

    std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
        const TomlNode* const node = document_.root.find(key);
        if (node == nullptr) {
            return fallback;
        }
        const auto* const value = std::get_if<std::int64_t>(&node->value);
        if (value == nullptr || *value < least || *value > most) {
            refuse(key, "must be an int from " + std::to_string(least) + " to " + std::to_string(most) + ", but is " +
                            to_toml(*node));
            return fallback;
        }
        return *value;
    }

    const Document& document_;
    Problems& problems_;
};

}  // namespace

std::optional<SweepFile> read_sweep(const std::filesystem::path& path, Problems& problems) {
    const std::optional<Document> document = read_manifest(path.string(), {}, problems);
    if (!document || !problems.empty()) {
        return std::nullopt;
    }
    SweepFile out = SweepReader(*document, problems).read();
    return problems.empty() ? std::optional(std::move(out)) : std::nullopt;
}

std::string value_text(const SpaceKey& key, const Dimension& dimension, double coordinate) {
    if (dimension.choices > 0) {
        return key.values[static_cast<std::size_t>(coordinate)];
    }
    return dimension.integer ? std::to_string(std::llround(coordinate)) : toml_float(coordinate);
}

}  // namespace tenon
