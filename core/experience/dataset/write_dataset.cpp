// SPDX-License-Identifier: Apache-2.0
#include "experience/dataset/write_dataset.hpp"

#include <algorithm>

#include "base/file/atomic.hpp"
#include "base/file/draft.hpp"
#include "experience/dataset/stored_dataset.hpp"

namespace tenon {
namespace {

// Appends all episodes. If they are those of the dataset that was read, in its order, they keep their seeds.
Status append_all(const Dataset& writer, const Composite& columns, const DatasetRequest& request,
                  const std::vector<StoredEpisode>& episodes) {
    if (request.episodes.size() != episodes.size()) {
        return append_episodes(writer, columns, request.storage, episodes, request.lane_seeds);
    }
    for (std::size_t i = 0; i < episodes.size(); ++i) {
        std::vector<std::uint64_t> seeds;
        if (request.episodes[i].seed) {
            seeds.assign(request.storage.lanes(), *request.episodes[i].seed);
        }
        TENON_TRY(append_episodes(writer, columns, request.storage, std::span(&episodes[i], 1), seeds));
    }
    return {};
}

std::vector<std::string> left_out_of(const Storage& storage, const Composite& columns) {
    std::vector<std::string> out;
    for (const StorageColumn& column : storage.columns()) {
        if (!is_flag_column(column.key) && columns.find(column.key) == nullptr) {
            out.push_back("'" + column.key + "', because a dataset has observations, actions and rewards only");
        }
    }
    return out;
}

// A sentence about pieces of episodes, which datasets cannot mark as such.
std::string pieces_among(const std::vector<StoredEpisode>& episodes) {
    const auto pieces = std::ranges::count_if(episodes, [](const StoredEpisode& each) { return !each.is_whole(); });
    if (pieces == 0) {
        return "";
    }
    const std::string some =
        pieces == 1 ? " episode is a piece, which begins or ends" : " episodes are pieces, which begin or end";
    return std::to_string(pieces) + " of " + std::to_string(episodes.size()) + some +
           " where the recording does: in the dataset " + (pieces == 1 ? "it looks" : "they look") +
           " like whole, truncated episodes";
}

}  // namespace

Status check_free(const std::filesystem::path& to) {
    std::error_code code;
    if (std::filesystem::exists(to, code)) {
        return input_problem(to.string() + " exists already; give the name of a new dataset");
    }
    return make_folders(std::filesystem::absolute(to).parent_path());
}

Result<Converted> write_dataset(const DatasetRequest& request, Registry& registry, const tn_host& host) {
    TENON_TRY(check_free(request.to));
    const Dataset writer = TENON_TRY(Dataset::named(request.format, registry, host));
    const FolderDraft draft = TENON_TRY(FolderDraft::begin(std::filesystem::absolute(request.to)));
    const std::filesystem::path made = draft.folder() / request.to.filename();
    const Composite columns = dataset_columns(request.storage, request.specs);
    const std::vector<StoredEpisode> episodes = episodes_of(request.storage);
    TENON_TRY(writer.begin(made, request.to, columns, request.facts));
    TENON_TRY(append_all(writer, columns, request, episodes));
    TENON_TRY(writer.finish());
    std::error_code code;
    std::filesystem::rename(made, request.to, code);
    if (code) {
        return environment_problem("cannot write " + request.to.string() + ": " + code.message());
    }
    return Converted{.frames = request.storage.view().total,
                     .episodes = episodes.size(),
                     .left_out = left_out_of(request.storage, columns),
                     .pieces = pieces_among(episodes)};
}

}  // namespace tenon
