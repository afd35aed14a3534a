// SPDX-License-Identifier: Apache-2.0
// Datasets in HDF5 files.
#include <dlfcn.h>

#include "d4rl.hpp"
#include "library.hpp"
#include "minari.hpp"
#include "tenon/dataset.hpp"
#include "tenon/needs.hpp"
#include "tenon/plugin.hpp"

namespace hdf5 {

tenon::Needs look() {
    tenon::Need need{
        .name = "libhdf5", .use = "datasets of Minari and D4RL", .bring = "apt-get install -y libhdf5-103-1"};
    try {
        Dl_info info{};
        need.found = ::dladdr(reinterpret_cast<const void*>(library().H5open), &info) != 0 ? info.dli_fname : "mapped";
    } catch (const tenon::Unavailable& error) {
        need.missing = error.what();
    }
    return {need};
}

}  // namespace hdf5

TENON_PLUGIN("hdf5", "0.1.0",
             tenon::needing<hdf5::look>(tenon::dataset<hdf5::Minari>("minari", "datasets of Minari, read and written")),
             tenon::dataset<hdf5::D4rl>("d4rl", "HDF5 files in D4RL's form, read"));
