// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include <array>
#include <fstream>
#include <limits>
#include <string_view>

#include "tenon/guard.hpp"

namespace hdf5 {
namespace {

std::int32_t dtype_of(const Library& lib, hid_t type) {
    const std::size_t size = lib.H5Tget_size(type);
    switch (lib.H5Tget_class(type)) {
        case kFloatClass:
            return size > 4 ? TN_F64 : TN_F32;
        case kEnumClass:
            return TN_BOOL;
        default:
            break;
    }
    const bool is_signed = lib.H5Tget_sign(type) != 0;
    return size == 1 && !is_signed ? TN_U8 : size < 4 || (size == 4 && is_signed) ? TN_I32 : TN_I64;
}

// The type with which h5py stores bool.
Id flag_type(const Library& lib) {
    Id out(lib.H5Tenum_create(lib.i8), lib.H5Tclose);
    for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}}) {
        lib.H5Tenum_insert(out.get(), value == 0 ? "FALSE" : "TRUE", &value);
    }
    return out;
}

}  // namespace

Id& Id::operator=(Id&& other) noexcept {
    reset();
    id_ = other.id_;
    close_ = other.close_;
    other.id_ = -1;
    return *this;
}

bool Id::reset() {
    const bool closed = id_ < 0 || close_(id_) >= 0;
    id_ = -1;
    return closed;
}

bool looks_like_hdf5(const std::string& path) {
    constexpr std::string_view kBegin = "\x89HDF\r\n\x1a\n";
    std::array<char, kBegin.size()> bytes{};
    std::ifstream file(path, std::ios::binary);
    return file.read(bytes.data(), bytes.size()) && std::string_view(bytes.data(), bytes.size()) == kBegin;
}

File File::open(const std::string& path) {
    const Library& lib = library();
    Id file(lib.H5Fopen(path.c_str(), kReadOnly, kDefault), lib.H5Fclose);
    if (!file) {
        throw tenon::DataLoss(path + " cannot be opened as an HDF5 file: it is truncated, damaged, or still written");
    }
    return {std::move(file), path};
}

File File::create(const std::string& path) {
    const Library& lib = library();
    Id file(lib.H5Fcreate(path.c_str(), kNewFile, kDefault, kDefault), lib.H5Fclose);
    if (!file) {
        throw tenon::Unavailable(path + " cannot be created");
    }
    return {std::move(file), path};
}

void File::fail_to_read(const std::string& name) const {
    throw tenon::DataLoss(path_ + ": '" + name + "' cannot be read; the file is truncated or damaged");
}

void File::require_written(bool done) const {
    if (!done) {
        throw tenon::Unavailable(path_ + " cannot be written; is the disk full?");
    }
}

Id File::object(const std::string& name) const {
    const Library& lib = library();
    return {lib.H5Oopen(file_.get(), name.c_str(), kDefault), lib.H5Oclose};
}

bool File::has(const std::string& name) const {
    return static_cast<bool>(object(name));
}

bool File::is_group(const std::string& name) const {
    const Id found = object(name);
    return found && library().H5Iget_type(found.get()) == kGroup;
}

std::vector<std::string> File::names_in(const std::string& group) const {
    const Library& lib = library();
    const Id found = object(group);
    GroupInfo info{};
    if (!found || lib.H5Gget_info(found.get(), &info) < 0) {
        fail_to_read(group);
    }
    std::vector<std::string> out;
    for (hsize_t i = 0; i < info.link_count; ++i) {
        std::array<char, 512> name{};
        const std::ptrdiff_t size =
            lib.H5Lget_name_by_idx(found.get(), ".", 0, 0, i, name.data(), name.size(), kDefault);
        if (size < 0) {
            fail_to_read(group);
        }
        out.emplace_back(name.data());
    }
    return out;
}

std::optional<Array> File::array(const std::string& name) const {
    const Library& lib = library();
    const Id found = object(name);
    if (!found || lib.H5Iget_type(found.get()) != kDataset) {
        return std::nullopt;
    }
    const Id type(lib.H5Dget_type(found.get()), lib.H5Tclose);
    const Id space(lib.H5Dget_space(found.get()), lib.H5Sclose);
    const int rank = space ? lib.H5Sget_simple_extent_ndims(space.get()) : -1;
    if (!type || rank < 0) {
        fail_to_read(name);
    }
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    if (rank > 0) {
        lib.H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
    }
    const int kind = lib.H5Tget_class(type.get());
    Array out;
    out.is_number =
        kind == kIntegerClass || kind == kFloatClass || (kind == kEnumClass && lib.H5Tget_size(type.get()) == 1);
    out.dtype = out.is_number ? dtype_of(lib, type.get()) : out.dtype;
    out.shape.assign(extents.begin(), extents.end());
    return out;
}

std::optional<std::uint64_t> File::number_of(const std::string& group, const char* attribute) const {
    const Library& lib = library();
    const Id found = object(group);
    if (!found || lib.H5Aexists(found.get(), attribute) <= 0) {
        return std::nullopt;
    }
    const Id open(lib.H5Aopen(found.get(), attribute, kDefault), lib.H5Aclose);
    std::uint64_t value = 0;
    return open && lib.H5Aread(open.get(), lib.u64, &value) >= 0 ? std::optional(value) : std::nullopt;
}

void File::read(const std::string& name, std::int32_t dtype, std::int64_t first, std::int64_t count, void* out) const {
    const Library& lib = library();
    const Id found = object(name);
    const std::optional<Array> form = array(name);
    if (!found || !form || !form->is_number || first < 0 || count < 0 || first + count > form->rows()) {
        fail_to_read(name);
    }
    const Id type(lib.H5Dget_type(found.get()), lib.H5Tclose);
    const Id from(lib.H5Dget_space(found.get()), lib.H5Sclose);
    std::vector<hsize_t> begin(form->shape.size(), 0);
    std::vector<hsize_t> size(form->shape.begin(), form->shape.end());
    begin.front() = static_cast<hsize_t>(first);
    size.front() = static_cast<hsize_t>(count);
    const Id to(lib.H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), lib.H5Sclose);
    lib.H5Sselect_hyperslab(from.get(), 0, begin.data(), nullptr, size.data(), nullptr);
    if (form->dtype == TN_BOOL && dtype != TN_BOOL) {
        throw tenon::DataLoss(path_ + ": '" + name + "' holds flags, but its space says " + tenon::dtype_name(dtype));
    }
    // Flags that h5py has written are one byte each, and read as they are.
    const hid_t memory = form->dtype == TN_BOOL ? type.get() : lib.type_of(dtype);
    if (lib.H5Dread(found.get(), memory, to.get(), from.get(), kDefault, out) < 0) {
        fail_to_read(name);
    }
    if (dtype == TN_BOOL) {
        hsize_t elements = 1;
        for (const hsize_t extent : size) {
            elements *= extent;
        }
        auto* const bytes = static_cast<std::uint8_t*>(out);
        for (hsize_t i = 0; i < elements; ++i) {
            bytes[i] = bytes[i] != 0 ? 1 : 0;
        }
    }
}

void File::make_group(const std::string& name) const {
    const Library& lib = library();
    const Id made(lib.H5Gcreate2(file_.get(), name.c_str(), kDefault, kDefault, kDefault), lib.H5Gclose);
    require_written(static_cast<bool>(made));
}

void File::set_number(const std::string& group, const char* attribute, std::uint64_t value) const {
    const Library& lib = library();
    // As h5py writes an integer of Python, if it fits.
    const hid_t type =
        value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ? lib.i64 : lib.u64;
    const Id found = object(group);
    const Id space(lib.H5Screate(kScalar), lib.H5Sclose);
    const Id made(lib.H5Acreate2(found.get(), attribute, type, space.get(), kDefault, kDefault), lib.H5Aclose);
    require_written(made && lib.H5Awrite(made.get(), type, &value) >= 0);
}

void File::write(const std::string& name, std::int32_t dtype, const tenon::Shape& shape, const void* from,
                 bool as_flags) const {
    const Library& lib = library();
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    const Id flags = as_flags ? flag_type(lib) : Id();
    const hid_t type = as_flags ? flags.get() : lib.type_of(dtype);
    const Id space(lib.H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), lib.H5Sclose);
    const Id made(lib.H5Dcreate2(file_.get(), name.c_str(), type, space.get(), kDefault, kDefault, kDefault),
                  lib.H5Dclose);
    require_written(made && lib.H5Dwrite(made.get(), type, kDefault, kDefault, kDefault, from) >= 0);
}

void File::close() {
    require_written(file_.reset());
}

}  // namespace hdf5
