// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/safetensors.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/error/listed.hpp"
#include "base/file/read.hpp"
#include "base/file/sync.hpp"
#include "train/checkpoint/safetensors_header.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kLargestHeader = 100'000'000;  // the limit of the format's own library

Status write_all(const FileDescriptor& file, const void* bytes, std::uint64_t size, const std::filesystem::path& path) {
    const auto* at = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t written = ::write(file.get(), at, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return file_problem("write", path, written < 0 ? errno : ENOSPC);
        }
        at += written;
        size -= static_cast<std::uint64_t>(written);
    }
    return {};
}

Status write_parts(const std::filesystem::path& path, const std::string& header,
                   std::span<const StoredTensor> tensors) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) {
        return file_problem("write", path, errno);
    }
    const std::uint64_t header_size = header.size();
    TENON_TRY(write_all(file, &header_size, sizeof header_size, path));
    TENON_TRY(write_all(file, header.data(), header_size, path));
    for (const StoredTensor& tensor : tensors) {
        const auto* const data = static_cast<const std::byte*>(tensor.data);
        TENON_TRY(write_all(file, data + tensor.begins, *stored_size(tensor, {}) - tensor.begins, path));
        TENON_TRY(write_all(file, data, tensor.begins, path));
    }
    return ::close(file.release()) == 0 ? Status() : file_problem("write", path, errno);
}

}  // namespace

std::vector<std::int64_t> stored_extents(std::initializer_list<std::int64_t> leading, const Shape& row) {
    std::vector<std::int64_t> out(leading);
    out.insert(out.end(), row.extents().begin(), row.extents().end());
    return out;
}

bool has_odd_flags(const StoredTensor& tensor) {
    const auto* const bytes = static_cast<const std::uint8_t*>(tensor.data);
    return tensor.dtype == TN_BOOL &&
           std::any_of(bytes, bytes + *stored_size(tensor, {}), [](std::uint8_t byte) { return byte > 1; });
}

Status write_safetensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors,
                         const TensorMetadata& metadata) {
    const std::string header = TENON_TRY(format_safetensors_header(tensors, metadata, path.string()));
    if (header.size() > kLargestHeader) {
        return input_problem(path.string() + ": names and metadata are too long for a safetensors header");
    }
    Status status = write_parts(path, header, tensors);
    if (!status) {
        std::error_code ignored;  // the first problem matters more
        std::filesystem::remove(path, ignored);
    }
    return status;
}

void SafetensorsFile::Unmap::operator()(const std::byte* bytes) const {
    ::munmap(const_cast<std::byte*>(bytes), size);  // munmap takes the pointer that mmap returned
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path, Mapping mapping) {
    const std::string subject = path.string();
    const FileDescriptor descriptor = TENON_TRY(open_to_read(path));
    struct stat info{};
    ::fstat(descriptor.get(), &info);
    const auto size = static_cast<std::uint64_t>(info.st_size);
    std::uint64_t header_size = 0;
    if (size < sizeof header_size) {
        return input_problem(subject + " is not a safetensors file: it has " + counted(size, "byte"));
    }
    const bool writable = mapping == Mapping::kCopyOnWrite;
    void* memory = ::mmap(nullptr, size, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                          writable ? MAP_PRIVATE | MAP_NORESERVE : MAP_PRIVATE, descriptor.get(), 0);
    if (memory == MAP_FAILED) {
        return file_problem("read", path, errno);
    }
    SafetensorsFile file;
    file.path_ = path;
    file.mapping_ = {static_cast<const std::byte*>(memory), Unmap{size}};
    std::memcpy(&header_size, memory, sizeof header_size);
    const std::byte* const header = file.mapping_.get() + sizeof header_size;
    if (header_size == 0 || header_size > kLargestHeader || (size > sizeof header_size && *header != std::byte{'{'})) {
        return input_problem(subject + " is not a safetensors file: it does not begin with a header and its size");
    }
    if (header_size > size - sizeof header_size) {
        return input_problem(subject + " is cut off: the header has " + counted(header_size, "byte") + ", of which " +
                             std::to_string(size - sizeof header_size) + " are there");
    }
    const std::uint64_t data_size = size - sizeof header_size - header_size;
    SafetensorsHeader parsed =
        TENON_TRY(parse_safetensors_header({reinterpret_cast<const char*>(header), header_size}, data_size, subject));
    file.tensors_ = std::move(parsed.tensors);
    file.metadata_ = std::move(parsed.metadata);
    for (std::size_t i = 0; i < file.tensors_.size(); ++i) {
        file.tensors_[i].data = header + header_size + parsed.begins[i];
    }
    return file;
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
    const auto found =
        std::find_if(tensors_.begin(), tensors_.end(), [&](const StoredTensor& t) { return t.name == name; });
    return found == tensors_.end() ? nullptr : &*found;
}

std::size_t SafetensorsFile::bytes_of(const StoredTensor* tensor) {
    return tensor == nullptr ? 0 : *stored_size(*tensor, {});
}

std::string SafetensorsFile::text(const std::string& key) const {
    const auto found = metadata_.find(key);
    return found == metadata_.end() ? "" : found->second;
}

std::uint64_t SafetensorsFile::number(const std::string& key) const {
    const std::string digits = text(key);
    std::uint64_t out = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return out;
}

Status SafetensorsFile::read(std::string_view name, std::int32_t dtype, std::span<const std::int64_t> shape,
                             void* out) const {
    const StoredTensor* tensor = find(name);
    if (tensor == nullptr) {
        return input_problem(path_.string() + " has no tensor '" + std::string(name) + "'");
    }
    if (tensor->dtype != dtype || !std::equal(shape.begin(), shape.end(), tensor->shape.begin(), tensor->shape.end())) {
        return input_problem(path_.string() + ": tensor '" + tensor->name + "' is " +
                             describe_stored(tensor->dtype, tensor->shape) + ", but " + describe_stored(dtype, shape) +
                             " is needed");
    }
    if (has_odd_flags(*tensor)) {
        return input_problem(path_.string() + ": tensor '" + tensor->name +
                             "' has a byte other than 0 and 1, but is BOOL");
    }
    if (const std::size_t size = bytes_of(tensor); size > 0) {
        std::memcpy(out, tensor->data, size);
    }
    return {};
}

}  // namespace tenon
