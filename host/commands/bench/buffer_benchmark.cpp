// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/buffer_benchmark.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data/key.hpp"
#include "base/device/own_kernels.hpp"
#include "base/random/key.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/manifest.hpp"
#include "config/manifest/options.hpp"
#include "config/manifest/value.hpp"
#include "engines/quarantine/gate.hpp"
#include "experience/replay/gather.hpp"
#include "experience/replay/sampler.hpp"
#include "plugins/plugin/host_services.hpp"
#include "plugins/plugin/registry.hpp"
#include "run/start/kinds.hpp"

namespace tenon {
namespace {

constexpr std::uint64_t kBufferSeed = 0;
constexpr std::size_t kSets = 64;  // of priorities, used in turn

// Fills a ring with one number per frame, unless the measurement reads the data.
Result<Storage> full_ring(const BufferBenchmarkRequest& request) {
    StorageColumn observation;
    observation.key = "observation";
    observation.role = Role::kObservation;
    observation.row = request.values > 0 ? Shape{request.values} : Shape{};
    const auto lanes = static_cast<std::uint32_t>(request.lanes);
    const std::uint32_t slots = Storage::slots_for(static_cast<std::uint64_t>(request.frames), lanes);
    const auto kinds = storage_kinds();
    const auto disk = std::ranges::find_if(kinds, &StorageKind::has_folder);
    const StorageKind in_memory;
    const StorageKind& kind = request.path.empty() || disk == kinds.end() ? in_memory : **disk;
    Storage storage =
        TENON_TRY(kind.make({.columns = {observation}, .slots = slots, .lanes = lanes, .folder = request.path}));
    const View& rows = storage.find("observation")->view;
    const std::size_t bytes = row_bytes(observation) * lanes;
    storage.begin_episodes(nullptr);
    for (std::uint32_t step = 1; step < slots; ++step) {
        if (request.values > 0) {  // pages that nothing has written are all the same page
            std::memset(row_at(rows, storage.head(), 0), static_cast<int>(step % 256), bytes);
        }
        storage.advance();
    }
    storage.mark();
    return storage;
}

// Reads the observations of a minibatch.
struct Gathering {
    static Result<Gathering> make(const Storage& storage, const SamplerPlan& plan, std::uint32_t rows) {
        const std::vector<std::string> keys = {"observation", next_key("observation")};
        GatherPlan gather = TENON_TRY(GatherPlan::make(storage, plan, keys, "tenon bench"));
        Gathering out{.plan = std::move(gather), .memory = {}, .columns = {}};
        for (const Port& port : out.plan.ports()) {
            Slab slab = TENON_TRY(Slab::make(row_bytes(port) * rows));
            out.columns.push_back(slab.data());
            out.memory.push_back(std::move(slab));
        }
        return out;
    }

    GatherPlan plan;
    std::vector<Slab> memory;
    std::vector<void*> columns;
};

std::vector<std::vector<double>> draw_priorities(std::size_t rows) {
    const tn_key key = make_key(kBufferSeed, "bench/priorities");
    std::vector<std::vector<double>> out(kSets, std::vector<double>(rows));
    std::uint64_t counter = 0;
    for (std::vector<double>& set : out) {
        for (double& priority : set) {
            const tn_random_block block = tn_philox(key, counter++);
            priority = 4 * tn_uniform(block.word[0], block.word[1]);
        }
    }
    return out;
}

// The component's table, as a manifest with these overrides would have it.
ComponentTable table_of(const BufferBenchmarkRequest& request, std::span<const OptionSchema> options,
                        Problems& problems) {
    ComponentTable table{
        .path = "buffer", .schema = "buffer", .ref = {request.component, {}}, .options = {}, .place = {}};
    std::vector<std::string_view> known;
    for (const OptionSchema& option : options) {
        known.emplace_back(option.name);
    }
    Document document;
    put_on(document, request.overrides, problems);
    for (const TomlEntry& entry : document.root.entries) {
        const TomlTable* const given = entry.key == table.path ? entry.node.table() : nullptr;
        if (given == nullptr) {
            problems.push_back(input_problem("bench buffer has no manifest, and reads only options of the buffer",
                                             entry.node.key_place, "write --set buffer.OPTION=VALUE"));
            continue;
        }
        for (const TomlEntry& option : given->entries) {
            if (std::ranges::find(known, option.key) != known.end()) {
                table.options.push_back({option.key, option.node});
            } else {
                problems.push_back(unknown_key_problem(table.path, option.key, option.node, known));
            }
        }
    }
    return table;
}

Result<BufferTimes> measure(const BufferBenchmarkRequest& request, const ComponentInfo& info,
                            const std::vector<OptionValue>& values, Registry& registry, const HostServices& services) {
    const LoadedComponent loaded = TENON_TRY(registry.load(info, services.table()));
    Instance instance = TENON_TRY(Instance::create(loaded, values, 0, make_key(kBufferSeed, "buffer")));
    const auto rows = static_cast<std::uint32_t>(request.rows);
    const std::shared_ptr<Device> device = TENON_TRY(open_device_with(source_kinds(), request.device));
    if (device == nullptr && instance.interface<tn_device_sampler_api>("tenon.device_sampler/1") != nullptr) {
        return input_problem(request.component + " chooses its rows on a device, and none is named", {},
                             "add --device cuda, or --device emulated where there is no GPU");
    }
    Sampler sampler = TENON_TRY(Sampler::make(std::move(instance), rows, device));
    if (device != nullptr && !sampler.is_on_device()) {
        return input_problem(request.component + " chooses its rows on the CPU, not on " + request.device, {},
                             "leave --device out");
    }
    const Storage storage = TENON_TRY(full_ring(request));
    std::optional<Gathering> gathering;
    if (request.values > 0) {
        gathering.emplace(TENON_TRY(Gathering::make(storage, sampler.plan(), rows)));
    }
    const std::vector<std::vector<double>> priorities = draw_priorities(rows);
    const tn_key key = make_key(kBufferSeed, "bench/sampling");
    std::uint64_t counter = 0;
    if (request.part == "prioritise" && !sampler.takes_priorities()) {
        return input_problem(request.component + " takes no priorities");
    }
    const auto batch = [&]() -> Status {
        // As in a run with columns on the device, the device's memory has the priorities of the last minibatch.
        if (device != nullptr && request.part == "prioritise" && counter > 0) {
            return sampler.prioritise_on_device(rows);
        }
        // priorities belong to the rows that were sampled last
        Status done =
            request.part == "prioritise" && counter > 0 ? Status() : sampler.sample(storage, rows, key, counter);
        if (done && gathering) {
            gathering->plan.gather(sampler.sampled(), 0, rows, gathering->columns.data());
        }
        const std::vector<double>& set = priorities[counter++ % kSets];
        return done && request.part != "sample" && sampler.takes_priorities()
                   ? sampler.prioritise(set, "tenon bench", {})
                   : std::move(done);
    };
    // Sampling on a device waits for it; updating priorities does not.
    std::function<Status()> finish;
    void* word = nullptr;
    if (device != nullptr && request.part == "prioritise") {
        TENON_TRY(told(*device, device->table.alloc(device->table.ctx, sizeof(std::uint64_t), &word)));
        finish = [&] {
            std::uint64_t zero = 0;
            return told(*device, device->table.read(device->table.ctx, &zero, word, sizeof zero));
        };
    }
    Result<Times> times = time_calls(batch, request.seconds, finish);
    if (device != nullptr) {
        device->table.free(device->table.ctx, word);
    }
    if (!times) {
        return std::move(times).error();
    }
    return BufferTimes{.takes_priorities = sampler.takes_priorities(), .times = *times};
}

}  // namespace

std::optional<BufferTimes> benchmark_buffer(const BufferBenchmarkRequest& request, Problems& problems) {
    Pool pool(1);
    const HostServices services(pool);
    Registry registry = Registry::scan(search_folders(request.plugins), {}, admit);
    problems = registry.problems();
    const Result<ComponentInfo> info = registry.find(request.component, "buffer", "bench buffer", {});
    if (!is_done(info, problems)) {
        return std::nullopt;
    }
    const std::vector<OptionSchema>& options = info->note->options;
    const std::vector<OptionValue> values = resolve_options(table_of(request, options, problems), options, problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    Result<BufferTimes> result = measure(request, *info, values, registry, services);
    if (!is_done(result, problems)) {
        return std::nullopt;
    }
    return *result;
}

}  // namespace tenon
