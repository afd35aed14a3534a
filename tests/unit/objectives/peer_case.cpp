// SPDX-License-Identifier: Apache-2.0
#include "peer_case.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/data/key.hpp"
#include "support/catch.hpp"

namespace tenon::test {
namespace {

using Words = std::vector<std::string>;

double number(const std::string& word) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    REQUIRE(end == word.c_str() + word.size());
    return value;
}

std::vector<double> numbers(const Words& words, std::size_t from, std::size_t to) {
    std::vector<double> out(to - from);
    std::transform(words.begin() + static_cast<std::ptrdiff_t>(from), words.begin() + static_cast<std::ptrdiff_t>(to),
                   out.begin(), number);
    return out;
}

bool whole(const std::string& text) {
    return text.find_first_not_of("+-0123456789") == std::string::npos;
}

OptionValue list_value(const std::string& text) {
    Words items;
    std::istringstream in(text.substr(1, text.size() - 2));
    for (std::string item; std::getline(in, item, ',');) {
        items.push_back(std::move(item));
    }
    if (!items.empty() && items[0].starts_with('"')) {
        std::ranges::for_each(items, [](std::string& item) { item = item.substr(1, item.size() - 2); });
        return items;
    }
    std::vector<double> reals = numbers(items, 0, items.size());
    if (std::ranges::all_of(items, whole)) {
        return std::vector<std::int64_t>(reals.begin(), reals.end());
    }
    return reals;
}

OptionValue option_value(const std::string& text) {
    if (text == "true" || text == "false") {
        return text == "true";
    }
    if (text.starts_with('"')) {
        return text.substr(1, text.size() - 2);
    }
    if (text.starts_with('[')) {
        return list_value(text);
    }
    return whole(text) ? OptionValue(static_cast<std::int64_t>(number(text))) : OptionValue(number(text));
}

Shape shape_of(const Words& words, std::size_t from) {
    Shape shape;
    for (; from < words.size(); ++from) {
        shape.extent[shape.rank++] = static_cast<std::int64_t>(number(words[from]));
    }
    return shape;
}

graph::Column column_of(const Words& words) {
    const std::string& key = words.at(1);
    const std::string& kind = words.at(2);
    if (kind == "unbounded") {
        return real_column(key, shape_of(words, 3));
    }
    if (kind == "binary") {
        return flag_column(key, shape_of(words, 3));
    }
    if (kind == "categorical") {
        return categorical_column(key, static_cast<std::int64_t>(number(words.at(3))));
    }
    if (kind == "one_hot") {
        return one_hot_column(key, static_cast<std::int64_t>(number(words.at(3))));
    }
    if (kind == "multi_categorical") {
        const std::vector<double> sizes = numbers(words, 3, words.size());
        return multi_categorical_column(key, {sizes.begin(), sizes.end()});
    }
    REQUIRE(kind == "bounded");
    const std::size_t middle = 3 + (words.size() - 3) / 2;
    return bounded_column(key, numbers(words, 3, middle), numbers(words, middle, words.size()));
}

// A column below a group's name is of its agents: its first size is their number.
void join_group(graph::Column& column, const std::vector<graph::Group>& groups) {
    const std::string_view key = column.spec.key;
    for (const graph::Group& group : groups) {
        if (within(key.substr(key.starts_with("next.") ? 5 : 0), group.name)) {
            column.spec.group = group.name;
            const bool of_one_agent =
                column.spec.kind == SpecKind::kMultiCategorical || column.spec.kind == SpecKind::kBounded;
            if (column.spec.shape.rank == 0 || of_one_agent) {
                column.spec.shape = join(Shape{group.agents}, column.spec.shape);
            }
        }
    }
}

NetworkUse& network_of(PeerCase& out, const std::string& role) {
    const auto found = std::ranges::find(out.plan.networks, role, &NetworkUse::role);
    REQUIRE(found != out.plan.networks.end());
    return *found;
}

// Whether the line says how the case is set up.
bool set_up(PeerCase& out, const Words& words) {
    const std::string& word = words[0];
    if (word == "objective") {
        out.plan.objective = words.at(1);
    } else if (word == "option") {
        out.plan.options.emplace_back(words.at(1), option_value(words.at(2)));
    } else if (word == "network") {
        out.plan.networks.push_back({.role = words.at(1),
                                     .component = words.at(2),
                                     .options = {},
                                     .count = static_cast<std::int64_t>(number(words.at(3)))});
    } else if (word == "network_option") {
        network_of(out, words.at(1)).options.emplace_back(words.at(2), option_value(words.at(3)));
    } else if (word == "group") {
        out.plan.groups.push_back({words.at(1), static_cast<std::int64_t>(number(words.at(2)))});
    } else if (word == "network_group") {
        network_of(out, words.at(1)).group = words.at(2);
    } else if (word == "objective_group") {
        out.plan.group = words.at(1);
    } else if (word == "column" && words.at(2) == "window") {
        const auto source = std::ranges::find(out.plan.columns, words.at(3),
                                              [](const graph::Column& column) { return column.spec.key; });
        REQUIRE(source != out.plan.columns.end());
        REQUIRE(words.at(1) == "window." + words.at(3));
        out.plan.columns.push_back(window_column(*source, static_cast<std::int64_t>(number(words.at(4)))));
    } else if (word == "column") {
        out.plan.columns.push_back(column_of(words));
        join_group(out.plan.columns.back(), out.plan.groups);
        if (words.at(1).starts_with("action.")) {
            out.plan.columns.back().spec.role = Role::kAction;
        }
    } else if (word == "function") {
        out.function = words.at(1);
    } else if (word == "rows") {
        out.sizes.rows = static_cast<std::int64_t>(number(words.at(1)));
    } else if (word == "steps") {
        out.sizes.time = static_cast<std::int64_t>(number(words.at(1)));
    } else if (word == "lanes") {
        out.sizes.lanes = static_cast<std::int64_t>(number(words.at(1)));
    } else if (word == "updates") {
        out.updates = number(words.at(1));
    } else if (word == "lr") {
        out.plan.optimiser = "sgd";
        out.plan.lr = number(words.at(1));
    } else if (word == "tau") {
        out.plan.target = {.kind = "soft", .tau = number(words.at(1)), .every = 1};
    } else {
        return false;
    }
    return true;
}

struct ListKind {
    const char* word;
    std::size_t names;  // words before the numbers
    std::vector<PeerTensor> PeerCase::* list;
};

const ListKind kLists[] = {
    {"live", 2, &PeerCase::live},      {"target", 2, &PeerCase::target},   {"reference", 2, &PeerCase::reference},
    {"batch", 1, &PeerCase::batch},    {"draw", 1, &PeerCase::draws},      {"loss", 1, &PeerCase::losses},
    {"metric", 1, &PeerCase::metrics}, {"written", 1, &PeerCase::written}, {"gradient", 3, &PeerCase::gradients},
    {"moved", 2, &PeerCase::moved},    {"state", 2, &PeerCase::states}};

void add_list(PeerCase& out, const Words& words) {
    const auto* kind = std::ranges::find(kLists, words[0], &ListKind::word);
    INFO("a line of the case " << out.name << " begins with " << words[0]);
    REQUIRE(kind != std::end(kLists));
    REQUIRE(words.size() > 1 + kind->names);
    PeerTensor tensor{.name = words[1], .values = numbers(words, 1 + kind->names, words.size())};
    for (std::size_t i = 1; i < kind->names; ++i) {
        tensor.name.append(" ").append(words[1 + i]);
    }
    (out.*kind->list).push_back(std::move(tensor));
}

}  // namespace

std::vector<PeerCase> read_peer_cases(const std::string& file) {
    std::ifstream in(std::filesystem::path(TENON_GOLDEN_DIR) / "objectives" / file);
    REQUIRE(in);
    std::vector<PeerCase> cases;
    bool open = false;
    for (std::string text; std::getline(in, text);) {
        std::istringstream line(text);
        Words words;
        for (std::string word; line >> word;) {
            words.push_back(std::move(word));
        }
        if (words.empty() || words[0] == "#") {
            continue;
        }
        if (words[0] == "case") {
            REQUIRE(!open);
            open = true;
            cases.emplace_back().name = words.at(1);
        } else if (words[0] == "end") {
            REQUIRE(open);
            open = false;
        } else {
            REQUIRE(open);
            if (!set_up(cases.back(), words)) {
                add_list(cases.back(), words);
            }
        }
    }
    REQUIRE(!open);
    return cases;
}

}  // namespace tenon::test
