// SPDX-License-Identifier: Apache-2.0
#include "commands/import/torch_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "commands/import/pickle_reader.hpp"
#include "commands/import/zip_reader.hpp"
#include "train/checkpoint/safetensors.hpp"

namespace tenon {
namespace {

constexpr std::string_view kModel = "policy.pth";  // in a Stable-Baselines3 zip
constexpr std::string_view kPickle = "data.pkl";

// Types of torch's storages.
struct Storage {
    std::string_view name;
    std::int32_t dtype;
    std::size_t size;
};
constexpr std::array kStorages = {Storage{"FloatStorage", TN_F32, 4}, Storage{"DoubleStorage", TN_F64, 8},
                                  Storage{"BFloat16Storage", TN_BF16, 2}, Storage{"HalfStorage", TN_F16, 2}};

// The elements of the tensor, from the storage.
Status gather(const PickledTensor& tensor, std::string_view bytes, const Storage& storage, std::int64_t count,
              ForeignTensor& out, const std::string& subject) {
    const std::size_t size = storage.size;
    const auto room = static_cast<std::int64_t>(bytes.size() / size);
    std::int64_t last = tensor.offset;
    for (std::size_t i = 0; i < tensor.shape.size() && count > 0; ++i) {
        const std::int64_t steps = tensor.shape[i] - 1;
        if (last >= room || (steps > 0 && tensor.strides[i] > room / steps)) {
            last = room;
            break;
        }
        last += steps * tensor.strides[i];
    }
    if (count > 0 && last >= room) {
        return input_problem(subject + ": the tensor " + tensor.name + " reaches beyond its storage");
    }
    std::string dense(static_cast<std::size_t>(count) * size, '\0');
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t at = tensor.offset;
        for (std::size_t d = tensor.shape.size(), rest = static_cast<std::size_t>(i); d > 0; --d) {
            const auto extent = static_cast<std::size_t>(tensor.shape[d - 1]);
            at += static_cast<std::int64_t>(rest % extent) * tensor.strides[d - 1];
            rest /= extent;
        }
        std::memcpy(dense.data() + static_cast<std::size_t>(i) * size,
                    bytes.data() + static_cast<std::size_t>(at) * size, size);
    }
    out.values = real_numbers({.name = {}, .dtype = storage.dtype, .shape = {count}, .data = dense.data()});
    return {};
}

// `whole`: the file may contain a model; a model contains no other file.
Result<std::vector<ForeignTensor>> read(std::string_view bytes, const std::string& subject, bool whole) {
    ZipArchive archive = TENON_TRY(ZipArchive::open(bytes, subject));
    const std::span<const ZipEntry> entries = archive.entries();
    const auto named = [](std::string_view name) {
        return [name](const ZipEntry& entry) { return entry.name == name; };
    };
    if (whole && std::ranges::any_of(entries, named(kModel))) {
        const Result<std::string_view> model = archive.read(kModel);
        const std::string inner = subject + ": " + std::string(kModel);
        return !model ? Result<std::vector<ForeignTensor>>(model.error())
               : looks_like_zip(*model)
                   ? read(*model, inner, false)
                   : input_problem(inner + " is not a zip file, as torch.save writes it since 1.6");
    }
    const auto pickle = std::ranges::find_if(
        entries, [](const ZipEntry& entry) { return entry.name == kPickle || entry.name.ends_with("/data.pkl"); });
    if (pickle == entries.end()) {
        return input_problem(subject +
                             " has neither policy.pth nor data.pkl: it is no model of Stable-Baselines3, and "
                             "torch.save has not written it");
    }
    const std::string folder(pickle->name.substr(0, pickle->name.size() - kPickle.size()));
    const Result<std::string_view> order = archive.read(folder + "byteorder");
    if (order && *order != "little") {
        return input_problem(subject + " was written on a big-endian machine, which is not read");
    }
    const std::string_view program = TENON_TRY(archive.read(pickle->name));
    const std::vector<PickledTensor> pickled = TENON_TRY(read_pickle(program, subject));
    std::vector<ForeignTensor> out;
    std::int64_t used = 0;  // tensors may share numbers, but their total is limited
    for (const PickledTensor& tensor : pickled) {
        const auto* const storage = std::ranges::find(kStorages, tensor.storage, &Storage::name);
        if (storage == kStorages.end()) {
            continue;
        }
        const std::string_view stored = TENON_TRY(archive.read(folder + "data/" + tensor.key));
        const auto most = static_cast<std::int64_t>(bytes.size() + archive.decompressed());
        std::int64_t count = 1;
        for (const std::int64_t extent : tensor.shape) {
            if (extent > 0 && count > (most - used) / extent) {
                return input_problem(subject + " is damaged: its tensors have more numbers than the file has bytes");
            }
            count *= extent;
        }
        used += count;
        ForeignTensor found{.name = tensor.name, .shape = tensor.shape, .values = {}};
        TENON_TRY(gather(tensor, stored, *storage, count, found, subject));
        out.push_back(std::move(found));
    }
    return out;
}

}  // namespace

Result<std::vector<ForeignTensor>> read_torch_file(std::string_view bytes, const std::string& subject) {
    return read(bytes, subject, true);
}

}  // namespace tenon
