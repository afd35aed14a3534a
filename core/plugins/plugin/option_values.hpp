// SPDX-License-Identifier: Apache-2.0
// Options in the form that a plugin receives.
#pragma once

#include <vector>

#include "config/option/schema.hpp"
#include "tenon/abi/option.h"

namespace tenon {

// Points to the schemas and values it is made from, which must outlive it.
class AbiOptions {
public:
    AbiOptions(const std::vector<OptionSchema>& schemas, const std::vector<OptionValue>& values);
    AbiOptions(const AbiOptions&) = delete;
    AbiOptions& operator=(const AbiOptions&) = delete;

    [[nodiscard]] const std::vector<const tn_option_value*>& pointers() const { return pointers_; }

private:
    std::vector<std::vector<tn_str>> texts_;  // the elements of lists of strings
    std::vector<tn_option_value> values_;
    std::vector<const tn_option_value*> pointers_;
};

}  // namespace tenon
