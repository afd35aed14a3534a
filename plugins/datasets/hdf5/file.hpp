// SPDX-License-Identifier: Apache-2.0
// An HDF5 file as a tree of groups and arrays. A path inside the file is "episode_0/rewards". Failures are thrown as
// tenon::DataLoss and tenon::Unavailable, with the file's name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "library.hpp"
#include "tenon/spec.hpp"

namespace hdf5 {

// Whether the file begins like one; needs no library.
bool looks_like_hdf5(const std::string& path);

// An object of the library, closed by the function of its kind.
class Id {
public:
    Id() = default;
    Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Id(Id&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
    Id& operator=(Id&& other) noexcept;
    ~Id() { reset(); }

    [[nodiscard]] hid_t get() const { return id_; }
    explicit operator bool() const { return id_ >= 0; }
    // Closes it and returns whether that worked.
    bool reset();

private:
    hid_t id_ = -1;
    herr_t (*close_)(hid_t) = nullptr;
};

struct Array {
    std::int32_t dtype = TN_F32;  // the column type that holds its elements without loss
    tenon::Shape shape;
    bool is_number = true;  // neither text nor of variable length

    [[nodiscard]] std::int64_t rows() const { return shape.empty() ? 0 : shape.front(); }
    [[nodiscard]] tenon::Shape row() const { return {shape.begin() + (shape.empty() ? 0 : 1), shape.end()}; }
};

class File {
public:
    static File open(const std::string& path);
    static File create(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool has(const std::string& name) const;
    [[nodiscard]] bool is_group(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> names_in(const std::string& group) const;
    // The form of an array; none if there is none of that name.
    [[nodiscard]] std::optional<Array> array(const std::string& name) const;
    // An attribute that is an integer of at least 0; none if there is none of that name.
    [[nodiscard]] std::optional<std::uint64_t> number_of(const std::string& group, const char* attribute) const;

    // Reads `count` rows from `first` on, converted to the dtype; bool: 0 or 1.
    void read(const std::string& name, std::int32_t dtype, std::int64_t first, std::int64_t count, void* out) const;

    void make_group(const std::string& name) const;
    void set_number(const std::string& group, const char* attribute, std::uint64_t value) const;
    // A new array; its group exists. as_flags: bool as h5py writes it, otherwise int8.
    void write(const std::string& name, std::int32_t dtype, const tenon::Shape& shape, const void* from,
               bool as_flags = false) const;
    void close();

private:
    File(Id file, std::string path) : path_(std::move(path)), file_(std::move(file)) {}
    [[nodiscard]] Id object(const std::string& name) const;
    [[noreturn]] void fail_to_read(const std::string& name) const;
    void require_written(bool done) const;

    std::string path_;
    Id file_;
};

}  // namespace hdf5
