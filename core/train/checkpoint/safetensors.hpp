// SPDX-License-Identifier: Apache-2.0
// Tensors in a file that other tools can read: safetensors, i.e. the header's size (u64), the header (JSON) and the
// bytes of all tensors without gaps. The same tensors and metadata give the same bytes: there is no date, and nothing
// is sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/shape.hpp"
#include "base/error/result.hpp"
#include "tenon/abi/types.h"

namespace tenon {

struct StoredTensor {
    std::string name;
    std::int32_t dtype = TN_F32;  // TN_F32 ... TN_F16
    std::vector<std::int64_t> shape;
    const void* data = nullptr;  // dense, row-major; may be unaligned if it was read from a file
    std::uint64_t begins = 0;    // for writing: data[begins..] is written first, and data[..begins] after it
};

// The extents of rows of this shape, after those before them.
std::vector<std::int64_t> stored_extents(std::initializer_list<std::int64_t> leading, const Shape& row);
// Whether it has bytes that no bool has, in a tensor of BOOL.
[[nodiscard]] bool has_odd_flags(const StoredTensor& tensor);

using TensorMetadata = std::map<std::string, std::string>;

// Whether its elements are real numbers, which `real_numbers` reads whatever their type.
bool is_real(const StoredTensor& tensor);
std::vector<double> real_numbers(const StoredTensor& tensor);

// Not atomic: write to a FolderDraft. Removes a partial file on failure.
Status write_safetensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors,
                         const TensorMetadata& metadata = {});

// What may be done with the tensors of a file: read them, or also write to them, in memory that the file never sees.
enum class Mapping { kRead, kCopyOnWrite };

// A file mapped into memory. The header has been verified, the tensors' elements have not. The file must not shrink
// meanwhile.
class SafetensorsFile {
public:
    static Result<SafetensorsFile> open(const std::filesystem::path& path, Mapping mapping = Mapping::kRead);

    // In the order of their bytes in the file.
    [[nodiscard]] const std::vector<StoredTensor>& tensors() const { return tensors_; }
    [[nodiscard]] const StoredTensor* find(std::string_view name) const;
    [[nodiscard]] const TensorMetadata& metadata() const { return metadata_; }
    // Of the metadata: "" or 0 if there is no such key.
    [[nodiscard]] std::string text(const std::string& key) const;
    [[nodiscard]] std::uint64_t number(const std::string& key) const;

    // Resizes the list to all elements of the tensor, of any shape, and copies them.
    template <class T>
    Status read_all(std::string_view name, std::int32_t dtype, std::vector<T>& out) const {
        const StoredTensor* const tensor = find(name);
        out.resize(bytes_of(tensor) / sizeof(T));
        return read(name, dtype, tensor != nullptr ? tensor->shape : std::vector<std::int64_t>(), out.data());
    }
    // Copies a tensor to `out`. Dtype and shape must match exactly.
    Status read(std::string_view name, std::int32_t dtype, std::span<const std::int64_t> shape, void* out) const;

private:
    [[nodiscard]] static std::size_t bytes_of(const StoredTensor* tensor);  // null: none

    struct Unmap {
        std::size_t size;
        void operator()(const std::byte* bytes) const;
    };

    std::filesystem::path path_;
    std::unique_ptr<const std::byte, Unmap> mapping_;
    std::vector<StoredTensor> tensors_;
    TensorMetadata metadata_;
};

}  // namespace tenon
