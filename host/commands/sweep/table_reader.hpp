// SPDX-License-Identifier: Apache-2.0
// Reads the values of one table of SWEEP.toml; every mistake is a problem with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/problem.hpp"
#include "config/manifest/node.hpp"

namespace tenon {

class TableReader {
public:
    // `name`: the table's name in sentences; empty for the root. `place`: that of the table as a whole.
    TableReader(const TomlTable& table, std::string name, Place place, Problems& problems)
        : table_(table), name_(std::move(name)), place_(std::move(place)), problems_(problems) {}

    void check_keys(const std::vector<std::string_view>& known);

    [[nodiscard]] bool has(std::string_view key) const { return table_.find(key) != nullptr; }
    // The place of the value; that of the table if there is none.
    [[nodiscard]] Place place(std::string_view key) const;
    void refuse(std::string_view key, const std::string& why);

    std::string text(std::string_view key, std::string fallback);
    // A string, or a list of different ones.
    std::vector<std::string> texts(std::string_view key);
    std::string one_of(std::string_view key, const std::vector<std::string_view>& names);
    std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most);
    double number(std::string_view key, double fallback, double least, double most);
    // A list of positive ints, each larger than the one before.
    std::vector<std::int64_t> rising(std::string_view key);

private:
    [[nodiscard]] std::string named(std::string_view key) const;

    const TomlTable& table_;
    std::string name_;
    Place place_;
    Problems& problems_;
};

}  // namespace tenon
