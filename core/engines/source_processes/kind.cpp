// SPDX-License-Identifier: Apache-2.0
// collector.kind = "processes": the kind, which the table of all kinds names (cmake/kinds.cmake).
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "engines/source_processes/courier.hpp"
#include "engines/source_processes/lane_worker.hpp"
#include "engines/source_processes/meeting_place.hpp"
#include "engines/source_processes/worker_manifest.hpp"
#include "engines/source_processes/workers_source.hpp"
#include "train/plan/source_kind.hpp"

namespace tenon {
namespace {

void check_listening(const Manifest& m, Problems& problems) {
    const CollectorTable& table = *m.collector;
    if (table.listen.empty()) {
        return;
    }
    is_done(placed(check_address(table.listen, "collector.listen", true), place_of(m, "collector.listen")), problems);
    if (!table.via.empty()) {
        problems.push_back(
            input_problem("collector.listen waits for workers that others start, and collector.via starts them: there "
                          "can be only one",
                          place_of(m, "collector.listen"), "remove either"));
    }
}

class ProcessesKind final : public SourceKind {
public:
    [[nodiscard]] std::string_view name() const override { return "processes"; }

    [[nodiscard]] Result<std::unique_ptr<FrameSource>> make(const Wiring& wiring, const Learner& learner, Lanes lanes,
                                                            Storage storage) const override {
        return WorkersSource::make(wiring, learner, std::move(lanes), std::move(storage));
    }

    void check(const Wiring& wiring, Problems& problems) const override {
        const Manifest& m = wiring.manifest;
        const std::int64_t workers = m.collector->workers.value_or(1);
        if (m.env.lanes % workers != 0) {
            problems.push_back(
                input_problem("collector.workers is " + std::to_string(workers) + ", but " +
                                  counted(m.env.lanes, "lane") + " cannot be shared equally by them",
                              place_of(m, "collector.workers"),
                              "set workers to a number that divides env.lanes, or env.lanes to a multiple of it"));
        }
        is_done(worker_commands(m), problems);
        check_listening(m, problems);
    }

    [[nodiscard]] std::string collectors(const Wiring& wiring) const override {
        const std::uint32_t workers = worker_count(wiring.manifest);
        return workers == 1 ? "a worker process collects" : std::to_string(workers) + " worker processes collect";
    }

    [[nodiscard]] std::string explanation(const Wiring& wiring) const override {
        const Manifest& m = wiring.manifest;
        const std::uint32_t workers = worker_count(m);
        const std::string& listen = m.collector->listen;
        const std::string how = listen.empty() ? ""
                                               : "Workers connect to " + listen + ": start " + std::to_string(workers) +
                                                     " with tenon collect.";
        return workers == 1 ? how
                            : "Each worker process has " + std::to_string(m.env.lanes / workers) + " of the " +
                                  counted(m.env.lanes, "lane") + " and the policy." + (how.empty() ? "" : " ") + how;
    }

    // "3 collect", "3 courier ssh node7", "3 guest NAME", "remote", "remote listen", "connect ADDRESS"
    [[nodiscard]] std::optional<int> serve(std::span<const char* const> words, OpenLaneRun open) const override {
        const std::string_view first = words.empty() ? "" : words[0];
        if (first == "remote") {
            return serve_remote_courier(words.size() > 1);
        }
        if (first == "connect" && words.size() > 1) {
            return serve_connection(words[1], words.size() > 2);
        }
        const std::string_view task = words.size() < 2 ? "" : words[1];
        if (task != "collect" && task != "courier" && task != "guest") {
            return {};
        }
        int descriptor = -1;
        std::from_chars(first.data(), first.data() + first.size(), descriptor);
        const std::vector<std::string> rest(words.begin() + 2, words.end());
        return task == "collect"   ? serve_lanes(descriptor, open)
               : task == "courier" ? serve_local_courier(descriptor, {.command = rest})
                                   : serve_local_courier(descriptor, {.guest = rest.empty() ? "" : rest.front()});
    }
};

}  // namespace

const SourceKind& source_processes() {
    static const ProcessesKind out;
    return out;
}

}  // namespace tenon
