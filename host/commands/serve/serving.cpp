// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/serving.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "commands/serve/column_text.hpp"

namespace tenon {

// The rows of a request, with the seats of its client. A request that has none is refused.
bool Serving::add_rows(ServeJob& job, std::vector<ServedRow>& rows) {
    const ActRequest& request = job.request;
    const ClientTable::Seats* seats = nullptr;
    if (policy_.remembers() && !request.client.empty()) {
        auto found = clients_.find(request.client, request.rows, ClientTable::Clock::now());
        if (auto* const refused = std::get_if<Refusal>(&found)) {
            job.result = std::move(*refused);
            return false;
        }
        seats = std::get<const ClientTable::Seats*>(found);
    }
    Rows actions;
    for (const Spec& spec : policy_.columns().outputs) {
        actions.emplace_back(row_bytes(spec) * request.rows);
    }
    job.result = std::move(actions);
    for (std::uint32_t row = 0; row < request.rows; ++row) {
        const bool first = seats == nullptr || seats->is_new || (!request.first.empty() && request.first[row] != 0);
        rows.push_back({.request = &request,
                        .actions = &std::get<Rows>(job.result),
                        .row = row,
                        .seat = seats == nullptr ? std::nullopt : std::optional(seats->rows[row]),
                        .first = first,
                        .stream = job.stream.get()});
    }
    return true;
}

void Serving::answer(std::span<const std::unique_ptr<ServeJob>> jobs, bool samples) {
    std::vector<ServedRow> rows;
    std::vector<std::pair<ServeJob*, std::size_t>> ends;  // of each job's rows
    for (const auto& job : jobs) {
        if (!job->resets && job->request.samples == samples && add_rows(*job, rows)) {
            ends.emplace_back(job.get(), rows.size());
        }
    }
    for (std::size_t begin = 0; begin < rows.size(); begin += policy_.rows()) {
        const std::size_t count = std::min<std::size_t>(policy_.rows(), rows.size() - begin);
        const auto started = std::chrono::steady_clock::now();
        policy_.act(std::span(rows).subspan(begin, count), samples);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
        metrics_.computed(static_cast<std::uint32_t>(count), took.count(), clients_.count());
    }
    std::size_t begin = 0;
    for (auto& [job, end] : ends) {
        job->frames = policy_.policy().frames;
        const auto wrong = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                        rows.begin() + static_cast<std::ptrdiff_t>(end),
                                        [](const ServedRow& row) { return !row.fault.empty(); });
        begin = end;
        if (wrong != rows.begin() + static_cast<std::ptrdiff_t>(end)) {
            clients_.forget(job->request.client);  // its memory may be of half a step
            job->result = Refusal{500, wrong->fault};
        } else {
            clients_.note(job->request.client);
        }
    }
}

void Serving::answer(std::span<const std::unique_ptr<ServeJob>> jobs) {
    for (const auto& job : jobs) {
        if (job->resets) {
            job->forgotten = clients_.forget(job->request.client);
        }
    }
    for (const bool samples : {false, true}) {
        answer(jobs, samples);
    }
}

}  // namespace tenon
