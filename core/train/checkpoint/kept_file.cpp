// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/kept_file.hpp"

#include <string>
#include <utility>
#include <vector>

#include "train/checkpoint/safetensors.hpp"

namespace tenon {
namespace {

constexpr const char* kKeptFormat = "tenon kept/1";

std::string keeping_of(const Keeper& keeper) {
    return keeper.rule().keeping == Keeping::kBest ? "best by " + keeper.rule().by : "reservoir";
}

template <class T>
std::vector<std::int64_t> as_integers(const std::vector<T>& values) {
    return {values.begin(), values.end()};
}

// A file that is being read.
struct KeptReading {
    SafetensorsFile file;
    std::string name;

    [[nodiscard]] Problem wrong(const std::string& what) const {
        return input_problem(name + " does not hold the frames that a writer has kept: " + what);
    }
};

Status read_memory(const KeptReading& in, bool best, Keeper::Memory& out) {
    out.taken = in.file.number("taken");
    out.seen = in.file.number("seen");
    out.used = static_cast<std::uint32_t>(in.file.number("used"));
    std::vector<std::int64_t> begins;
    TENON_TRY(in.file.read_all("kept/begins", TN_I64, begins));
    out.begins.assign(begins.begin(), begins.end());
    std::vector<std::int64_t> order;
    std::vector<std::int64_t> lengths;
    std::vector<double> scores;
    if (!best) {
        return {};
    }
    TENON_TRY(in.file.read_all("kept/order", TN_I64, order));
    TENON_TRY(in.file.read_all("kept/length", TN_I64, lengths));
    TENON_TRY(in.file.read_all("kept/score", TN_F64, scores));
    if (lengths.size() != scores.size()) {
        return in.wrong("'kept/length' and 'kept/score' have different lengths");
    }
    out.order.assign(order.begin(), order.end());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        out.episodes.push_back({.score = scores[i], .length = static_cast<std::uint32_t>(lengths[i])});
    }
    return {};
}

Status read_rows(const KeptReading& in, Storage& rows, std::int64_t used) {
    for (const StorageColumn& column : rows.columns()) {
        const std::vector<std::int64_t> shape = stored_extents({used}, column.row);
        const auto dtype = static_cast<std::int32_t>(column.dtype);
        TENON_TRY(in.file.read(column.key, dtype, shape, column.view.data));
        if (column.final.data != nullptr) {
            TENON_TRY(in.file.read(column.key + "/final", dtype, shape, column.final.data));
        }
    }
    return {};
}

}  // namespace

std::filesystem::path kept_of(const std::filesystem::path& checkpoint) {
    return checkpoint / "kept.safetensors";
}

Status write_kept(const Keeper& keeper, const std::filesystem::path& file) {
    const Keeper::Memory& memory = keeper.memory();
    std::vector<StoredTensor> tensors;
    for (const StorageColumn& column : keeper.storage().columns()) {
        const auto dtype = static_cast<std::int32_t>(column.dtype);
        const std::vector<std::int64_t> shape = stored_extents({memory.used}, column.row);
        tensors.push_back({.name = column.key, .dtype = dtype, .shape = shape, .data = column.view.data});
        if (column.final.data != nullptr) {
            tensors.push_back(
                {.name = column.key + "/final", .dtype = dtype, .shape = shape, .data = column.final.data});
        }
    }
    const std::vector<std::int64_t> begins = as_integers(memory.begins);
    const std::vector<std::int64_t> order = as_integers(memory.order);
    std::vector<std::int64_t> lengths;
    std::vector<double> scores;
    for (const Keeper::Episode& episode : memory.episodes) {
        lengths.push_back(episode.length);
        scores.push_back(episode.score);
    }
    const auto add = [&](const char* key, std::int32_t dtype, std::size_t size, const void* data) {
        tensors.push_back({.name = key, .dtype = dtype, .shape = {static_cast<std::int64_t>(size)}, .data = data});
    };
    add("kept/begins", TN_I64, begins.size(), begins.data());
    if (keeper.rule().keeping == Keeping::kBest) {
        add("kept/order", TN_I64, order.size(), order.data());
        add("kept/length", TN_I64, lengths.size(), lengths.data());
        add("kept/score", TN_F64, scores.size(), scores.data());
    }
    return write_safetensors(file, tensors,
                             {{"format", kKeptFormat},
                              {"keeping", keeping_of(keeper)},
                              {"capacity", std::to_string(keeper.capacity())},
                              {"used", std::to_string(memory.used)},
                              {"taken", std::to_string(memory.taken)},
                              {"seen", std::to_string(memory.seen)}});
}

Status restore_kept(Keeper& keeper, const std::filesystem::path& file) {
    keeper.clear();
    SafetensorsFile opened = TENON_TRY(SafetensorsFile::open(file));
    const KeptReading in{.file = std::move(opened), .name = file.string()};
    const std::string saved =
        in.file.text("format") + ", " + in.file.text("keeping") + ", " + in.file.text("capacity") + " frames";
    const std::string wanted =
        std::string(kKeptFormat) + ", " + keeping_of(keeper) + ", " + std::to_string(keeper.capacity()) + " frames";
    if (saved != wanted) {
        return in.wrong("it has '" + saved + "', but this run has '" + wanted + "'");
    }
    Keeper::Memory memory;
    TENON_TRY(read_memory(in, keeper.rule().keeping == Keeping::kBest, memory));
    if (memory.used > keeper.capacity()) {
        return in.wrong("it has more rows than its capacity");
    }
    TENON_TRY(read_rows(in, keeper.storage(), memory.used));
    if (!keeper.remember(memory)) {
        return in.wrong("its counters do not fit its rows");
    }
    return {};
}

}  // namespace tenon
