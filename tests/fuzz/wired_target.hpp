// SPDX-License-Identifier: Apache-2.0
// Manifests behind the parser: wired with the shipped plugins, as by `tenon validate` and `tenon explain`.
#pragma once

#include "fuzz/target.hpp"

namespace tenon::fuzz {

void wired_manifest(std::span<const std::uint8_t> bytes);
std::vector<Input> shipped_manifests();
void mutate_wired_manifest(Input& input, const Input& other, Random& random);

}  // namespace tenon::fuzz
