// SPDX-License-Identifier: Apache-2.0
#include "commands/prune/prune_output.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include "base/error/listed.hpp"
#include "base/json/write.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

std::string words_of(const PrunePlan& plan) {
    const auto number = [](std::int64_t frames) { return std::to_string(frames); };
    const std::string checkpoints = listed(plan.deletions.checkpoints, number);
    const std::string buffers = listed(plan.deletions.buffers, number);
    return plan.left_alone       ? "nothing: " + std::string(name_of(plan.state))
           : !plan.frees()       ? "nothing"
           : buffers.empty()     ? checkpoints
           : checkpoints.empty() ? "buffers of " + buffers
                                 : checkpoints + "; buffers of " + buffers;
}

}  // namespace

void print_json(const PrunePlan& plan, bool deleted) {
    std::string line;
    JsonWriter json(line);
    json.begin_object().key("run").text(plan.run.string()).key("state").text(name_of(plan.state));
    for (const auto& [key, numbers] :
         {std::pair("checkpoints", &plan.deletions.checkpoints), std::pair("buffers", &plan.deletions.buffers)}) {
        json.key(key).begin_array();
        for (const std::int64_t frames : *numbers) {
            json.integer(frames);
        }
        json.end_array();
    }
    json.key("bytes").integer(static_cast<std::int64_t>(plan.deletions.bytes));
    json.key("deleted").boolean(deleted && plan.frees()).end_object();
    std::cout << line << '\n';
}

void print_table(const std::vector<PrunePlan>& plans, bool deleted) {
    std::vector<Row> rows = {{"RUN", deleted ? "DELETED" : "WOULD DELETE", "FREES"}};
    std::uint64_t bytes = 0;
    std::size_t without_buffer = 0;
    for (const PrunePlan& plan : plans) {
        rows.push_back({plan.run.string(), words_of(plan), plan.frees() ? size_text(plan.deletions.bytes) : ""});
        bytes += plan.deletions.bytes;
        without_buffer += plan.deletions.buffers.empty() ? 0 : 1;
    }
    print_rows(std::cout, rows, "", "llr");
    if (std::ranges::none_of(plans, &PrunePlan::frees)) {
        std::cout << "nothing to free in " << counted(plans.size(), "run") << '\n';
        return;
    }
    if (without_buffer > 0) {
        std::cout << "without its buffer a run cannot be resumed: " << counted(without_buffer, "run") << '\n';
    }
    std::cout << (deleted ? "freed " + size_text(bytes) : "--yes deletes this and frees " + size_text(bytes)) << '\n';
}

}  // namespace tenon::host
