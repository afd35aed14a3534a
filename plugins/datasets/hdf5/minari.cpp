// SPDX-License-Identifier: Apache-2.0
#include "minari.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include "json.hpp"
#include "tenon/guard.hpp"

namespace hdf5 {
namespace {

constexpr const char* kData = "main_data.hdf5";
constexpr const char* kMetadata = "metadata.json";
constexpr const char* kReward = "reward";

// The folder with the two files; empty if there is none.
std::filesystem::path folder_of(const std::filesystem::path& path) {
    std::error_code code;
    for (const auto& folder : {path, path / "data", path.parent_path()}) {
        const bool named = folder != path.parent_path() || path.filename() == kData || path.filename() == kMetadata;
        if (named && std::filesystem::exists(folder / kMetadata, code) &&
            std::filesystem::exists(folder / kData, code)) {
            return folder;
        }
    }
    return {};
}

// Whether the folder has a dataset in another of Minari's formats, whose metadata names it.
bool is_arrow(const std::filesystem::path& path) {
    for (const auto& folder : {path, path / "data"}) {
        std::ifstream file(folder / kMetadata, std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        if (text.find(R"("data_format": "arrow")") != std::string::npos) {
            return true;
        }
    }
    return false;
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw tenon::NotFound(path.string() + " cannot be read");
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

Json space_in(const Json& metadata, const char* key, const std::string& path) {
    const Json* const space = metadata.find(key);
    if (space == nullptr || space->text() == nullptr) {
        throw tenon::InvalidArgument(path + " has no '" + key + "'");
    }
    return parse_json(*space->text(), path + ", " + key + ",");
}

std::vector<tenon::Fact> facts_in(const Json& metadata) {
    std::vector<tenon::Fact> out;
    for (const char* const key : {"dataset_id", "algorithm_name", "minari_version"}) {
        const Json* const found = metadata.find(key);
        if (found != nullptr && found->text() != nullptr) {
            out.push_back({key, *found->text()});
        }
    }
    const Json* const env = metadata.find("env_spec");
    if (env != nullptr && env->text() != nullptr) {
        const Json spec = parse_json(*env->text(), "env_spec");
        const Json* const id = spec.find("id");
        if (id != nullptr && id->text() != nullptr) {
            out.push_back({"env", *id->text()});
        }
    }
    return out;
}

// episode_0, episode_1, ...: in the order of their numbers.
std::vector<std::string> episode_groups(const File& file) {
    constexpr std::string_view kPrefix = "episode_";
    std::vector<std::pair<std::uint64_t, std::string>> found;
    for (const std::string& name : file.names_in("/")) {
        const bool numbered =
            name.starts_with(kPrefix) && name.size() > kPrefix.size() && name.size() < 24 &&
            std::ranges::all_of(name.substr(kPrefix.size()), [](char c) { return c >= '0' && c <= '9'; });
        if (numbered) {
            found.emplace_back(std::stoull(name.substr(kPrefix.size())), name);
        }
    }
    std::ranges::sort(found);
    std::vector<std::string> out;
    std::ranges::transform(found, std::back_inserter(out), [](const auto& each) { return each.second; });
    return out;
}

std::string shape_words(const tenon::Shape& shape) {
    std::string out;
    for (const std::int64_t extent : shape) {
        out += (out.empty() ? "" : ", ") + std::to_string(extent);
    }
    return "[" + out + "]";
}

// Where Minari keeps the datasets that it lists.
std::filesystem::path root_of_minari() {
    const char* const named = std::getenv("MINARI_DATASETS_PATH");  // NOLINT(concurrency-mt-unsafe): nothing runs
    const char* const home = std::getenv("HOME");                   // NOLINT(concurrency-mt-unsafe)
    return named != nullptr  ? std::filesystem::path(named)
           : home != nullptr ? std::filesystem::path(home) / ".minari" / "datasets"
                             : std::filesystem::path();
}

// "half-cheetah-v0": what Minari accepts as a name. It lists a dataset only if its name is its path below the root, so
// the folders of that path, which are namespaces, are part of the name.
std::string id_for(const std::filesystem::path& folder) {
    std::error_code code;
    const auto real = [&](const std::filesystem::path& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, code), code);
    };
    const std::filesystem::path below = real(folder).lexically_relative(real(root_of_minari()));
    const bool is_listed = !below.empty() && *below.begin() != "..";
    std::string name = is_listed ? below.generic_string() : folder.filename().string();
    const std::size_t version = name.rfind("-v");
    const bool versioned = version != std::string::npos && version + 2 < name.size() &&
                           std::ranges::all_of(name.substr(version + 2), [](char c) { return c >= '0' && c <= '9'; });
    std::ranges::replace_if(
        name,
        [](char c) {
            return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                     c == '_' || c == '/');
        },
        '_');
    return versioned ? name : name + "-v0";
}

}  // namespace

bool Minari::claims(const std::string& path) {
    return !folder_of(path).empty() || is_arrow(path);
}

tenon::DatasetInfo Minari::open(const std::string& path) {
    const std::filesystem::path folder = folder_of(path);
    if (folder.empty()) {
        if (is_arrow(path)) {
            throw tenon::InvalidArgument(path + " is a dataset of Minari in Arrow's format, and only HDF5 is read: " +
                                         "write it again with data_format=\"hdf5\"");
        }
        throw tenon::NotFound(path + " has no main_data.hdf5 with metadata.json");
    }
    const std::string about = (folder / kMetadata).string();
    const Json metadata = parse_json(content_of(about), about);
    Parts parts;
    add_parts(space_in(metadata, "observation_space", about), "observation", "observations", TN_ROLE_OBSERVATION,
              parts);
    add_parts(space_in(metadata, "action_space", about), "action", "actions", TN_ROLE_ACTION, parts);
    parts.columns.push_back({.spec = tenon::unbounded(kReward), .path = "rewards", .start = {}});
    parts.columns.back().spec.role = TN_ROLE_REWARD;
    file_.emplace(File::open((folder / kData).string()));
    parts_ = std::move(parts.columns);
    groups_ = episode_groups(*file_);
    tenon::DatasetInfo info;
    info.facts = facts_in(metadata);
    info.left_out = std::move(parts.left_out);
    if (groups_.empty()) {
        throw tenon::InvalidArgument("the dataset " + path + " has no episodes");
    }
    check_arrays(groups_.front(), info);
    if (file_->is_group(groups_.front() + "/infos") && !file_->names_in(groups_.front() + "/infos").empty()) {
        info.left_out.emplace_back("'infos', because they are not read");
    }
    for (const std::string& group : groups_) {
        open_episode(group, info);
        lengths_.push_back(info.episodes.back().length);
    }
    for (const Part& part : parts_) {
        info.columns.push_back(part.spec);
    }
    return info;
}

// The first episode says how pictures are stored and of what type rewards are.
void Minari::check_arrays(const std::string& group, tenon::DatasetInfo& info) {
    std::vector<Part> kept;
    for (Part& part : parts_) {
        const std::optional<Array> array = file_->array(group + "/" + part.path);
        if (!array) {
            throw tenon::InvalidArgument(file_->path() + " has no '" + group + "/" + part.path +
                                         "', though its space does");
        }
        const tenon::Shape row = array->row();
        if (!array->is_number || (part.spec.dtype == TN_U8 && part.spec.shape.size() >= 2 && row.size() == 1)) {
            info.left_out.push_back("'" + part.spec.key +
                                    "', because its pictures are stored as JPEG; Minari writes arrays with "
                                    "jpeg_encoding=False");
            continue;
        }
        std::int64_t elements = 1;
        for (const std::int64_t extent : row) {
            elements *= extent;
        }
        if (elements != part.spec.elements()) {
            throw tenon::InvalidArgument(file_->path() + ": the rows of '" + group + "/" + part.path + "' are " +
                                         shape_words(row) + ", but its space says " + shape_words(part.spec.shape));
        }
        if (part.spec.role == TN_ROLE_REWARD) {
            part.spec.dtype = array->dtype == TN_F32 ? TN_F32 : TN_F64;
        }
        kept.push_back(std::move(part));
    }
    parts_ = std::move(kept);
}

void Minari::open_episode(const std::string& group, tenon::DatasetInfo& info) const {
    const auto rows_of = [&](const std::string& name) {
        const std::optional<Array> array = file_->array(group + "/" + name);
        return array ? array->rows() : -1;
    };
    const std::int64_t length = rows_of("rewards");
    if (length < 1) {
        throw tenon::DataLoss(file_->path() + ": '" + group + "' has no rewards");
    }
    for (const Part& part : parts_) {
        const std::int64_t wanted = length + (part.spec.role == TN_ROLE_OBSERVATION ? 1 : 0);
        if (rows_of(part.path) != wanted) {
            throw tenon::DataLoss(file_->path() + ": '" + group + "/" + part.path + "' has " +
                                  std::to_string(std::max<std::int64_t>(rows_of(part.path), 0)) + " rows, but " +
                                  std::to_string(wanted) + " fit its " + std::to_string(length) + " rewards");
        }
    }
    std::uint8_t terminated = 0;
    std::uint8_t truncated = 0;
    file_->read(group + "/terminations", TN_BOOL, length - 1, 1, &terminated);
    file_->read(group + "/truncations", TN_BOOL, length - 1, 1, &truncated);
    info.episodes.push_back({.length = static_cast<std::uint64_t>(length),
                             .terminated = terminated != 0,
                             .truncated = truncated != 0,
                             .seed = file_->number_of(group, "seed")});
}

void Minari::read(std::size_t episode, std::size_t column, void* rows) {
    const Part& part = parts_[column];
    const std::uint64_t count = lengths_[episode] + (part.spec.role == TN_ROLE_OBSERVATION ? 1 : 0);
    file_->read(groups_[episode] + "/" + part.path, part.spec.dtype, 0, static_cast<std::int64_t>(count), rows);
    if (part.start.empty() || std::ranges::all_of(part.start, [](std::int64_t start) { return start == 0; })) {
        return;
    }
    auto* const values = static_cast<std::int64_t*>(rows);
    for (std::uint64_t i = 0; i < count * static_cast<std::uint64_t>(part.spec.elements()); ++i) {
        values[i] -= part.start[i % part.start.size()];
    }
}

void Minari::begin(const std::string& path, const tenon::DatasetInfo& plan) {
    parts_.clear();
    for (const tenon::Spec& spec : plan.columns) {
        parts_.push_back({.spec = spec, .path = "rewards", .start = {}});
    }
    const auto is_reward = [](const Part& part) { return part.spec.role == TN_ROLE_REWARD; };
    if (std::ranges::count_if(parts_, is_reward) != 1 ||
        std::ranges::find_if(parts_, is_reward)->spec.elements() != 1) {
        throw tenon::InvalidArgument("Minari's datasets have one reward, a number");
    }
    observation_space_ = space_of(parts_, TN_ROLE_OBSERVATION, "observation", "observations");
    action_space_ = space_of(parts_, TN_ROLE_ACTION, "action", "actions");
    facts_ = plan.facts;
    folder_ = path;
    id_ = id_for(plan.target.empty() ? path : plan.target);
    std::error_code code;
    std::filesystem::create_directories(folder_ / "data", code);
    file_.emplace(File::create((folder_ / "data" / kData).string()));
}

void Minari::append(const tenon::Episode& episode, std::span<const void* const> rows) {
    const std::string group = "episode_" + std::to_string(episodes_);
    file_->make_group(group);
    file_->set_number(group, "id", episodes_);
    file_->set_number(group, "total_steps", episode.length);
    if (episode.seed) {
        file_->set_number(group, "seed", *episode.seed);
    }
    file_->make_group(group + "/infos");
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        for (std::size_t slash = part.path.find('/'); slash != std::string::npos;
             slash = part.path.find('/', slash + 1)) {
            const std::string above = group + "/" + part.path.substr(0, slash);
            if (!file_->has(above)) {
                file_->make_group(above);
            }
        }
        const bool is_observation = part.spec.role == TN_ROLE_OBSERVATION;
        tenon::Shape shape = part.spec.role == TN_ROLE_REWARD ? tenon::Shape() : part.spec.shape;
        shape.insert(shape.begin(), static_cast<std::int64_t>(episode.length) + (is_observation ? 1 : 0));
        file_->write(group + "/" + part.path, part.spec.dtype, shape, rows[i]);
    }
    const auto flags = [&](const char* name, bool at_end) {
        std::vector<std::uint8_t> values(episode.length, 0);
        values.back() = at_end ? 1 : 0;
        file_->write(group + "/" + name, TN_BOOL, {static_cast<std::int64_t>(episode.length)}, values.data(), true);
    };
    flags("terminations", episode.terminated);
    flags("truncations", episode.truncated);
    ++episodes_;
    steps_ += episode.length;
}

void Minari::finish() {
    file_->close();
    const auto fact = [&](const char* key) {
        const auto found = std::ranges::find(facts_, key, &tenon::Fact::key);
        return found == facts_.end() ? std::string() : found->value;
    };
    std::error_code code;
    const std::uint64_t bytes = std::filesystem::file_size(folder_ / "data" / kData, code);
    std::string own;
    for (const tenon::Fact& each : facts_) {
        own += (own.empty() ? "" : ", ") + json_text(each.key) + ": " + json_text(each.value);
    }
    std::ofstream out(folder_ / "data" / kMetadata, std::ios::binary);
    out << "{\"total_episodes\": " << episodes_ << ", \"total_steps\": " << steps_
        << R"(, "data_format": "hdf5", "jpeg_encoding": false, "observation_space": )" << json_text(observation_space_)
        << ", \"action_space\": " << json_text(action_space_)
        << ", \"dataset_size\": " << number_text(std::floor(static_cast<double>(bytes) / 1e5) / 10, false)
        << ", \"dataset_id\": " << json_text(id_) << ", \"algorithm_name\": " << json_text(fact("algorithm_name"))
        << R"(, "author": [], "author_email": [], "code_permalink": "", "minari_version": "0.5.4", "tenon": {)" << own
        << "}}";
    if (!out.flush()) {
        throw tenon::Unavailable((folder_ / "data" / kMetadata).string() + " cannot be written; is the disk full?");
    }
}

}  // namespace hdf5
