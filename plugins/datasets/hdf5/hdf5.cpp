// SPDX-License-Identifier: Apache-2.0
// Datasets in HDF5 files.
#include "d4rl.hpp"
#include "minari.hpp"
#include "tenon/dataset.hpp"
#include "tenon/plugin.hpp"

TENON_PLUGIN("hdf5", "0.1.0", tenon::dataset<hdf5::Minari>("minari", "datasets of Minari, read and written"),
             tenon::dataset<hdf5::D4rl>("d4rl", "HDF5 files in D4RL's form, read"));
