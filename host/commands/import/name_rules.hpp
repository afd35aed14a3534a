// SPDX-License-Identifier: Apache-2.0
// Rules that say which parameter a tensor of another program becomes. A rule is FROM=TO: a tensor whose name begins
// with FROM is called TO and the rest of its name.
//
//     pi.=actor/                                a prefix for another
//     h.{n}.ln_1.=actor/block{n}.norm1.         {n} stands for a number, the same on both sides
//     c_proj.=actor/out.:t                      its matrices are transposed
//     qkv.[0/3]=actor/query.                    the first of three equal parts, along the first size (after :t)
//     q_proj.=actor/qkv.[0]                     the first of the parts that are put together, along the first size
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "commands/import/torch_file.hpp"

namespace tenon {

struct NameRule {
    std::string text;  // as it was written
    std::string from;
    std::string to;
    bool transposed = false;
    std::int64_t part = 0;  // of `parts` equal ones; the whole tensor, if there is one
    std::int64_t parts = 1;
    std::int64_t place = -1;  // among the parts that become one parameter; -1: it is a whole one
    bool optional = false;    // whether a file may have no tensor for it
};

// Reads FROM=TO; TO begins with a network and '/'.
Result<NameRule> read_name_rule(const std::string& text);

// Reads the rules of a layout, one a line. A file need not have a tensor for each of them. Empty lines and those that
// begin with # are left out.
Result<std::vector<NameRule>> read_name_rules(std::string_view lines);

// Whether the rule applies to a tensor of this name.
bool applies(const NameRule& rule, std::string_view name);

// The tensors under their new names, cut, transposed and put together; those to which no rule applies, as they are. The
// first rule that fits applies to a tensor, and so do all others with the same FROM.
Result<std::vector<NamedTensor>> apply(const std::vector<NameRule>& rules, const std::vector<ForeignTensor>& tensors,
                                       const std::string& subject);

}  // namespace tenon
