// SPDX-License-Identifier: Apache-2.0
#include "experience/dataset/dataset.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/data/spec_abi.hpp"
#include "base/error/listed.hpp"
#include "plugins/plugin/abi_text.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon {
namespace {

constexpr const char* kKind = "dataset";

tn_str text_of(const std::string& text) {
    return {text.data(), text.size()};
}

std::vector<ComponentInfo> components(const Registry& registry) {
    std::vector<ComponentInfo> out;
    for (const auto& file : registry.files()) {
        if (file->problem) {
            continue;
        }
        for (const ComponentNote& note : file->note->components) {
            if (note.kind == kKind) {
                out.push_back({.name = file->library + "/" + note.id, .place = {}, .plugin = file, .note = &note});
            }
        }
    }
    return out;
}

bool holds_other_roles(const Composite& columns) {
    return std::ranges::any_of(columns.specs, [](const Spec& spec) {
        return spec.role != Role::kObservation && spec.role != Role::kAction && spec.role != Role::kReward;
    });
}

Status read_episodes(const tn_dataset_info& info, const Callee<tn_dataset_api>& callee, DatasetContent& out) {
    for (std::uint64_t i = 0; i < info.episode_count; ++i) {
        const tn_episode& one = *info.episodes[i];
        if (one.length < 1) {
            return callee.problem("episode " + std::to_string(i) + " has no transitions");
        }
        out.episodes.push_back({.length = one.length,
                                .terminated = (one.flags & TN_EPISODE_TERMINATED) != 0,
                                .truncated = (one.flags & TN_EPISODE_TRUNCATED) != 0,
                                .seed = (one.flags & TN_EPISODE_SEEDED) != 0 ? std::optional(one.seed) : std::nullopt});
    }
    return {};
}

}  // namespace

std::uint64_t DatasetContent::frames() const {
    return std::accumulate(episodes.begin(), episodes.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const DatasetEpisode& episode) { return sum + episode.length; });
}

Dataset::Dataset(Instance instance)
    : instance_(std::move(instance)), callee_(Callee<tn_dataset_api>::of(instance_, "tenon.dataset/1")) {}

Result<Dataset> Dataset::make(const ComponentInfo& info, Registry& registry, const tn_host& host) {
    std::vector<OptionValue> values;
    for (const OptionSchema& option : info.note->options) {  // a dataset has no table in the manifest
        if (!option.standard) {
            return plugin_problem(info.name + " has no default for its option '" + option.name +
                                  "', which a dataset's component needs");
        }
        values.push_back(*option.standard);
    }
    const LoadedComponent loaded = TENON_TRY(registry.load(info, host));
    return Dataset(TENON_TRY(Instance::create(loaded, values, 0, {})));
}

Result<std::optional<Dataset>> Dataset::claiming(const std::filesystem::path& path, Registry& registry,
                                                 const tn_host& host) {
    const std::string text = path.string();
    std::optional<Problem> broken;
    for (const ComponentInfo& info : components(registry)) {
        Result<Dataset> made = make(info, registry, host);
        if (!made) {
            broken = broken ? broken : made.error();
            continue;
        }
        std::uint8_t yes = 0;
        if (const Status asked = made->callee_.call("claims", made->callee_.api->claims, text_of(text), &yes); !asked) {
            broken = broken ? broken : asked.error();
        } else if (yes != 0) {
            return std::optional<Dataset>(std::move(*made));
        }
    }
    return broken ? Result<std::optional<Dataset>>(*broken) : Result<std::optional<Dataset>>(std::nullopt);
}

Result<Dataset> Dataset::named(std::string_view name, Registry& registry, const tn_host& host) {
    const std::vector<ComponentInfo> known = components(registry);
    std::vector<std::string_view> ids;
    for (const ComponentInfo& info : known) {
        if (info.name == name || info.note->id == name) {
            return make(info, registry, host);
        }
        ids.push_back(info.note->id);
    }
    return input_problem("no plugin has the dataset format '" + std::string(name) +
                         (ids.empty() ? "'; there are no plugins of the kind dataset" : "'; there are " + listed(ids)) +
                         did_you_mean(name, ids));
}

std::vector<std::string> Dataset::names(const Registry& registry) {
    return mapped<std::string>(components(registry), &ComponentInfo::name);
}

std::vector<std::string> Dataset::writers(Registry& registry, const tn_host& host) {
    std::vector<std::string> out;
    for (const ComponentInfo& info : components(registry)) {
        if (const Result<Dataset> made = make(info, registry, host); made && made->writes()) {
            out.push_back(info.name);
        }
    }
    return out;
}

bool Dataset::writes() const {
    const tn_dataset_api& api = *callee_.api;
    return inside(api, &tn_dataset_api::finish) && api.begin != nullptr && api.append != nullptr &&
           api.finish != nullptr;
}

Result<DatasetContent> Dataset::open(const std::filesystem::path& path) const {
    const std::string text = path.string();
    tn_dataset_info info{};
    info.struct_size = sizeof info;
    const tn_status status =
        call_plugin(callee_.name, "open", callee_.place, callee_.api->open, callee_.self, text_of(text), &info);
    if (Status opened = check_call(status, callee_.name, "open"); !opened) {
        const bool is_file = status == TN_INVALID_ARGUMENT || status == TN_NOT_FOUND || status == TN_DATA_LOSS;
        opened.error().fault = is_file ? Fault::kInput : opened.error().fault;
        return std::move(opened).error();
    }
    Composite columns = TENON_TRY(read_specs(info.columns, info.column_count, callee_.name));
    if (holds_other_roles(columns)) {
        return callee_.problem("a dataset has only observations, actions and rewards");
    }
    DatasetContent out{.columns = std::move(columns), .episodes = {}, .facts = {}, .left_out = {}};
    TENON_TRY(read_episodes(info, callee_, out));
    for (std::uint32_t i = 0; i < info.fact_count; ++i) {
        out.facts[text_of(info.facts[i]->key)] = text_of(info.facts[i]->value);
    }
    for (std::uint32_t i = 0; i < info.left_out_count; ++i) {
        out.left_out.push_back(text_of(info.left_out[i]));
    }
    return out.episodes.empty() ? Result<DatasetContent>(input_problem("the dataset " + text + " has no episodes"))
                                : Result<DatasetContent>(std::move(out));
}

Status Dataset::read(std::uint64_t episode, std::uint32_t column, void* rows) const {
    return callee_.call("read", callee_.api->read, episode, column, rows);
}

Status Dataset::begin(const std::filesystem::path& path, const std::filesystem::path& target, const Composite& columns,
                      const DatasetFacts& facts) const {
    if (!writes()) {
        return input_problem(callee_.name + " only reads datasets and cannot write " + target.string());
    }
    std::vector<tn_fact> told;
    for (const auto& [key, value] : facts) {
        told.push_back({sizeof(tn_fact), 0, text_of(key), text_of(value)});
    }
    const auto pointers = mapped<const tn_fact*>(told, [&](const tn_fact& fact) { return &fact; });
    const SpecTable table(columns);
    const std::string text = path.string();
    const std::string later = std::filesystem::absolute(target).lexically_normal().string();
    const tn_dataset_plan plan{.struct_size = sizeof plan,
                               .column_count = table.size(),
                               .columns = table.data(),
                               .facts = pointers.data(),
                               .fact_count = static_cast<std::uint32_t>(told.size()),
                               .reserved = 0,
                               .path = text_of(text),
                               .target = text_of(later)};
    return callee_.call("begin", callee_.api->begin, &plan);
}

Status Dataset::append(const DatasetEpisode& episode, const void* const* rows) const {
    const std::uint32_t terminated = episode.terminated ? +TN_EPISODE_TERMINATED : 0;
    const std::uint32_t truncated = episode.truncated ? +TN_EPISODE_TRUNCATED : 0;
    const std::uint32_t seeded = episode.seed ? +TN_EPISODE_SEEDED : 0;
    const tn_episode told{.struct_size = sizeof told,
                          .flags = terminated | truncated | seeded,
                          .length = episode.length,
                          .seed = episode.seed.value_or(0)};
    return callee_.call("append", callee_.api->append, &told, rows);
}

Status Dataset::finish() const {
    return callee_.call("finish", callee_.api->finish);
}

}  // namespace tenon
