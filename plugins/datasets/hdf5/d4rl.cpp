// SPDX-License-Identifier: Apache-2.0
#include "d4rl.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "tenon/guard.hpp"

namespace hdf5 {
namespace {

struct Known {
    const char* name;
    const char* key;
    std::int32_t role;
};
constexpr std::array<Known, 3> kColumns = {{{"observations", "observation", TN_ROLE_OBSERVATION},
                                            {"actions", "action", TN_ROLE_ACTION},
                                            {"rewards", "reward", TN_ROLE_REWARD}}};
constexpr const char* kNext = "next_observations";
constexpr std::array kRead = {"observations", "actions", "rewards", "terminals", "timeouts", kNext};

}  // namespace

bool D4rl::claims(const std::string& path) {
    std::error_code code;
    return std::filesystem::is_regular_file(path, code) && looks_like_hdf5(path);
}

tenon::DatasetInfo D4rl::open(const std::string& path) {
    file_.emplace(File::open(path));
    tenon::DatasetInfo info;
    std::int64_t frames = -1;
    const auto array_of = [&](const char* name) {
        const std::optional<Array> array = file_->array(name);
        if (!array || !array->is_number || array->shape.empty()) {
            throw tenon::InvalidArgument(path + " is no dataset in D4RL's form: it has no array '" + name +
                                         "'; a dataset of Minari is named by its folder");
        }
        frames = frames < 0 ? array->rows() : frames;
        if (array->rows() != frames) {
            throw tenon::DataLoss(path + ": '" + name + "' has " + std::to_string(array->rows()) +
                                  " rows, but 'observations' has " + std::to_string(frames));
        }
        return *array;
    };
    for (const Known& known : kColumns) {
        const Array array = array_of(known.name);
        const bool is_reward = known.role == TN_ROLE_REWARD;
        columns_.push_back(tenon::unbounded(known.key, is_reward ? tenon::Shape() : array.row(), array.dtype));
        columns_.back().role = known.role;
    }
    array_of("terminals");
    has_next_ = file_->has(kNext);
    if (has_next_) {
        array_of(kNext);
    }
    for (const std::string& name : file_->names_in("/")) {
        if (std::ranges::find(kRead, name) == kRead.end()) {
            info.left_out.push_back("'" + name + "', because it is not read");
        }
    }
    info.columns = columns_;
    find_episodes(frames, info);
    info.episodes = episodes_;
    return info;
}

// An episode ends with a terminal, a timeout, or the file. Without next_observations the observation after a timeout is
// unknown, so its last frame cannot be learnt from. That after a terminal does not matter, so the last one is repeated.
void D4rl::find_episodes(std::int64_t frames, tenon::DatasetInfo& info) {
    std::vector<std::uint8_t> terminals(static_cast<std::size_t>(frames), 0);
    std::vector<std::uint8_t> timeouts(terminals.size(), 0);
    file_->read("terminals", TN_BOOL, 0, frames, terminals.data());
    if (file_->has("timeouts")) {
        file_->read("timeouts", TN_BOOL, 0, frames, timeouts.data());
    }
    std::int64_t first = 0;
    std::int64_t cut = 0;
    for (std::int64_t i = 0; i < frames; ++i) {
        const bool terminated = terminals[static_cast<std::size_t>(i)] != 0;
        const bool timed_out = timeouts[static_cast<std::size_t>(i)] != 0;
        if (!terminated && !timed_out && i + 1 < frames) {
            continue;
        }
        const bool drops = !has_next_ && !terminated;
        cut += drops ? 1 : 0;
        if (const std::int64_t length = i + 1 - first - (drops ? 1 : 0); length > 0) {
            firsts_.push_back(first);
            episodes_.push_back({.length = static_cast<std::uint64_t>(length),
                                 .terminated = terminated,
                                 .truncated = !terminated && timed_out});
        }
        first = i + 1;
    }
    if (cut > 0) {
        info.left_out.push_back("the last frames of " + std::to_string(cut) +
                                " episodes that a timeout or the file ends, because without next_observations what "
                                "followed is unknown");
    }
}

void D4rl::read(std::size_t episode, std::size_t column, void* rows) {
    const tenon::Spec& spec = columns_[column];
    const auto length = static_cast<std::int64_t>(episodes_[episode].length);
    const std::int64_t first = firsts_[episode];
    file_->read(kColumns[column].name, spec.dtype, first, length, rows);
    if (spec.role != TN_ROLE_OBSERVATION) {
        return;
    }
    const std::size_t size = static_cast<std::size_t>(spec.elements()) *
                             tenon::with_dtype(spec.dtype, [](auto zero) { return sizeof zero; });
    auto* const last = static_cast<unsigned char*>(rows) + static_cast<std::size_t>(length) * size;
    if (has_next_) {
        file_->read(kNext, spec.dtype, first + length - 1, 1, last);
    } else if (episodes_[episode].terminated) {
        std::copy(last - size, last, last);
    } else {
        file_->read(kColumns[column].name, spec.dtype, first + length, 1, last);
    }
}

}  // namespace hdf5
