// SPDX-License-Identifier: Apache-2.0
#include "commands/import/weights_source.hpp"

#include "base/file/read.hpp"
#include "commands/import/zip_reader.hpp"
#include "train/checkpoint/safetensors.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 32;

Result<std::vector<ForeignTensor>> read_safetensors(const std::filesystem::path& path) {
    const SafetensorsFile file = TENON_TRY(SafetensorsFile::open(path));
    std::vector<ForeignTensor> out;
    for (const StoredTensor& tensor : file.tensors()) {
        if (is_real(tensor)) {
            out.push_back({.name = tensor.name, .shape = tensor.shape, .values = real_numbers(tensor)});
        }
    }
    return out;
}

}  // namespace

Result<std::vector<ForeignTensor>> read_foreign_weights(const std::filesystem::path& file) {
    const std::string bytes = TENON_TRY(read_file(file, Largest{.bytes = kLargest, .kind = "file of weights"}));
    if (looks_like_zip(bytes)) {
        return read_torch_file(bytes, file.string());
    }
    if (bytes.size() > 8 && bytes[8] == '{') {
        return read_safetensors(file);
    }
    return input_problem(file.string() +
                         " is no file of weights: it is neither a zip file, which Stable-Baselines3 and "
                         "torch.save write, nor safetensors");
}

}  // namespace tenon
