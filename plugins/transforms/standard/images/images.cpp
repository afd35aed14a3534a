// SPDX-License-Identifier: Apache-2.0
#include "images/centre_crop.hpp"
#include "images/crop.hpp"
#include "images/grey.hpp"
#include "images/random_crop.hpp"
#include "images/resize.hpp"

TENON_CODE(tenon::TransformAdapter<CentreCrop>);
TENON_CODE(tenon::TransformAdapter<Crop>);
TENON_CODE(tenon::TransformAdapter<Grey>);
TENON_CODE(tenon::TransformAdapter<RandomCrop>);
TENON_CODE(tenon::TransformAdapter<Resize>);
