// SPDX-License-Identifier: Apache-2.0
// libhdf5, found when the first dataset is opened: TENON_HDF5 names the file, or it is one of the system's, or the one
// inside Python's package h5py in the environment that VIRTUAL_ENV names. Nothing links it, and no header of it is
// needed: these functions have been the same since HDF5 1.10.
#pragma once

#include <cstddef>
#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): names are HDF5's, and the macro declares
namespace hdf5 {

using hid_t = std::int64_t;
using herr_t = int;
using hsize_t = unsigned long long;

struct GroupInfo {  // H5G_info_t
    int storage_type;
    hsize_t link_count;
    std::int64_t max_order;
    bool mounted;
};

// Constants of HDF5's headers.
inline constexpr hid_t kDefault = 0;  // H5P_DEFAULT, H5S_ALL, H5E_DEFAULT
inline constexpr unsigned kReadOnly = 0;
inline constexpr unsigned kNewFile = 4;  // H5F_ACC_EXCL
inline constexpr int kGroup = 2;         // H5I_GROUP
inline constexpr int kDataset = 5;       // H5I_DATASET
inline constexpr int kScalar = 0;        // H5S_SCALAR
inline constexpr int kIntegerClass = 0;
inline constexpr int kFloatClass = 1;
inline constexpr int kEnumClass = 8;

// Name and type of every function used; the macro's user gives each its form.
#define HDF5_FUNCTIONS(F)                                                                                        \
    F(herr_t, H5open, ())                                                                                        \
    F(herr_t, H5Eset_auto2, (hid_t, herr_t (*)(hid_t, void*), void*))                                            \
    F(hid_t, H5Fopen, (const char*, unsigned, hid_t))                                                            \
    F(hid_t, H5Fcreate, (const char*, unsigned, hid_t, hid_t))                                                   \
    F(herr_t, H5Fclose, (hid_t))                                                                                 \
    F(hid_t, H5Oopen, (hid_t, const char*, hid_t))                                                               \
    F(herr_t, H5Oclose, (hid_t))                                                                                 \
    F(int, H5Iget_type, (hid_t))                                                                                 \
    F(int, H5Lexists, (hid_t, const char*, hid_t))                                                               \
    F(std::ptrdiff_t, H5Lget_name_by_idx, (hid_t, const char*, int, int, hsize_t, char*, std::size_t, hid_t))    \
    F(hid_t, H5Gcreate2, (hid_t, const char*, hid_t, hid_t, hid_t))                                              \
    F(herr_t, H5Gclose, (hid_t))                                                                                 \
    F(herr_t, H5Gget_info, (hid_t, GroupInfo*))                                                                  \
    F(hid_t, H5Dcreate2, (hid_t, const char*, hid_t, hid_t, hid_t, hid_t, hid_t))                                \
    F(herr_t, H5Dclose, (hid_t))                                                                                 \
    F(hid_t, H5Dget_space, (hid_t))                                                                              \
    F(hid_t, H5Dget_type, (hid_t))                                                                               \
    F(herr_t, H5Dread, (hid_t, hid_t, hid_t, hid_t, hid_t, void*))                                               \
    F(herr_t, H5Dwrite, (hid_t, hid_t, hid_t, hid_t, hid_t, const void*))                                        \
    F(hid_t, H5Screate, (int))                                                                                   \
    F(hid_t, H5Screate_simple, (int, const hsize_t*, const hsize_t*))                                            \
    F(herr_t, H5Sclose, (hid_t))                                                                                 \
    F(int, H5Sget_simple_extent_ndims, (hid_t))                                                                  \
    F(int, H5Sget_simple_extent_dims, (hid_t, hsize_t*, hsize_t*))                                               \
    F(herr_t, H5Sselect_hyperslab, (hid_t, int, const hsize_t*, const hsize_t*, const hsize_t*, const hsize_t*)) \
    F(int, H5Tget_class, (hid_t))                                                                                \
    F(std::size_t, H5Tget_size, (hid_t))                                                                         \
    F(int, H5Tget_sign, (hid_t))                                                                                 \
    F(hid_t, H5Tenum_create, (hid_t))                                                                            \
    F(herr_t, H5Tenum_insert, (hid_t, const char*, const void*))                                                 \
    F(herr_t, H5Tclose, (hid_t))                                                                                 \
    F(int, H5Aexists, (hid_t, const char*))                                                                      \
    F(hid_t, H5Aopen, (hid_t, const char*, hid_t))                                                               \
    F(hid_t, H5Acreate2, (hid_t, const char*, hid_t, hid_t, hid_t, hid_t))                                       \
    F(herr_t, H5Aread, (hid_t, hid_t, void*))                                                                    \
    F(herr_t, H5Awrite, (hid_t, hid_t, const void*))                                                             \
    F(herr_t, H5Aclose, (hid_t))

struct Library {
#define HDF5_MEMBER(result, name, arguments) result(*name) arguments = nullptr;
    HDF5_FUNCTIONS(HDF5_MEMBER)
#undef HDF5_MEMBER
    hid_t f32 = 0;  // types in memory
    hid_t f64 = 0;
    hid_t i64 = 0;
    hid_t u64 = 0;
    hid_t i32 = 0;
    hid_t u8 = 0;
    hid_t i8 = 0;

    // The type in memory of a column's dtype; bool is read and written as i8.
    [[nodiscard]] hid_t type_of(std::int32_t dtype) const;
};

// Loads it at the first call. Throws tenon::Unavailable with a sentence if this machine has none.
const Library& library();

}  // namespace hdf5
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
