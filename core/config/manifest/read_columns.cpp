// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/readers.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/data/key.hpp"

namespace tenon {
namespace {

class ColumnReader {
public:
    ColumnReader(Manifest& manifest, Problems& problems) : manifest_(manifest), problems_(problems) {}

    // Keys have dots, so they are strings, or tables in tables as --set makes them.
    void read(const TomlTable& table, const std::string& prefix) {
        for (const TomlEntry& entry : table.entries) {
            const std::string key = path_of(prefix, entry.key);
            const TomlTable* const inner = entry.node.table();
            if (inner != nullptr && inner->find("of") == nullptr && inner->find("for") == nullptr) {
                read(*inner, key);
            } else {
                read_one(key, entry.node);
            }
        }
    }

private:
    void read_one(const std::string& key, const TomlNode& node) {
        const std::string path = path_of("columns", key);
        manifest_.given[path] = node.place;
        StandInTable column;
        column.key = key;
        column.place = node.place;
        const std::size_t before = problems_.size();
        if (const auto* const of = std::get_if<std::string>(&node.value)) {
            column.of = *of;
        } else {
            const FoundTable found = as_table(manifest_, problems_, path, node);
            if (found.broken) {
                problems_.back().sentence =
                    path + " must name a function of a network, but is " + std::string(phrase_of(node));
                problems_.back().help =
                    R"(write a string as in "discriminator.reward", or { of = "...", for = [...] })";
            } else {
                TableReader(manifest_, problems_, table_schema("columns"), found).fill(column);
            }
        }
        if (const std::string fault = key_fault(key); !fault.empty()) {
            problems_.push_back(input_problem(path + " is not a valid name of a column: it " + fault, node.key_place));
        }
        const std::size_t dot = column.of.find('.');
        const bool names = dot != std::string::npos && dot > 0 && column.of.find('.', dot + 1) == std::string::npos &&
                           dot + 1 < column.of.size();
        if (problems_.size() == before && !names) {
            problems_.push_back(
                input_problem(path + " is '" + column.of + "', which does not name a function of a network", node.place,
                              R"(write NETWORK.FUNCTION, as in "discriminator.reward")"));
        }
        const auto earlier = std::ranges::find(manifest_.columns, key, &StandInTable::key);
        if (earlier != manifest_.columns.end()) {
            problems_.push_back(input_problem(path + " is given twice", node.place));
            problems_.back().also.push_back(earlier->place);
        } else if (problems_.size() == before) {
            manifest_.columns.push_back(std::move(column));
        }
    }

    Manifest& manifest_;
    Problems& problems_;
};

}  // namespace

void read_columns(Manifest& manifest, Problems& problems, const FoundTable& found) {
    if (found.table) {
        ColumnReader(manifest, problems).read(*found.table, {});
    }
}

}  // namespace tenon
