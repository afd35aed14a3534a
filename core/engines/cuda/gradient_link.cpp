// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/gradient_link.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "engines/cuda/devices.hpp"
#include "engines/cuda/shapes.hpp"

namespace tenon::compiled::device {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetween = std::chrono::milliseconds(5);  // questions whether a process is gone
constexpr auto kGrace = std::chrono::seconds(1);         // for the link between hosts to say why
constexpr auto kParting = std::chrono::seconds(5);
constexpr std::size_t kLeastHalved = std::size_t{64} << 10U;  // numbers, as on the host
constexpr std::size_t kCutAt = 16;

bool is_emulated(const Device& device) {
    return device.table.device_type == TN_DEVICE_EMULATED;
}

Result<nccl::Functions> functions_for(const Device& device) {
    return nccl::functions(is_emulated(device));
}

std::string machine() {
    std::string out;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), out);
    return out;
}

// A process has an emulated device of its own.
Result<std::string> place_of(const Device& device) {
    TENON_TRY(functions_for(device));
    return machine() + " " + (is_emulated(device) ? std::to_string(::getpid()) : bus_address(device));
}

Result<std::string> new_id(const Device& device) {
    const nccl::Functions f = TENON_TRY(functions_for(device));
    nccl::UniqueId id{};
    const nccl::Code code = f.unique_id(&id);
    return code == nccl::kSuccess ? Result<std::string>(std::string(id.internal, sizeof id.internal))
                                  : environment_problem(std::string("NCCL makes no link: ") + f.error_text(code));
}

// The first failure of a group's calls; otherwise whether one is in progress.
void keep(nccl::Code& first, nccl::Code code) {
    const bool is_fine = first == nccl::kSuccess || first == nccl::kInProgress;
    first = is_fine && code != nccl::kSuccess ? code : first;
}

using Parts = GradientLink::Parts;

std::size_t size_of(const Parts& parts) {
    std::size_t out = 0;
    for (const std::span<float> part : parts) {
        out += part.size();
    }
    return out;
}

// The numbers from `first` to before `end` of all of these parts.
Parts cut(const Parts& parts, std::size_t first, std::size_t end) {
    Parts out;
    std::size_t at = 0;
    for (const std::span<float> part : parts) {
        const std::size_t from = std::clamp(first, at, at + part.size());
        const std::size_t to = std::clamp(end, at, at + part.size());
        if (from < to) {
            out.push_back(part.subspan(from - at, to - from));
        }
        at += part.size();
    }
    return out;
}

bool is_same(const Parts& a, const Parts& b) {
    return std::ranges::equal(
        a, b, [](auto one, auto other) { return one.data() == other.data() && one.size() == other.size(); });
}

}  // namespace

const DeviceLinks kDeviceLinks = {
    .find = &nccl::find, .place = &place_of, .new_id = &new_id, .open = &GradientLink::open};

Result<std::shared_ptr<DeviceLink>> GradientLink::open(const std::shared_ptr<Device>& device,
                                                       const DeviceMeeting& meeting) {
    const nccl::Functions f = TENON_TRY(functions_for(*device));
    auto out = std::make_shared<GradientLink>(device, f, meeting);
    TENON_TRY(out->meet());
    return std::shared_ptr<DeviceLink>(std::move(out));
}

Status GradientLink::meet() {
    ask_in_waits(*device_,
                 [this](Clock::duration waited) { return check(waited); });  // also makes its context this thread's
    nccl::UniqueId id{};
    std::memcpy(id.internal, meeting_.id.data(), std::min(meeting_.id.size(), sizeof id.internal));
    nccl::Config config;
    return finish(nccl_.init(&comm_, static_cast<int>(meeting_.count), id, static_cast<int>(meeting_.rank), &config));
}

// The others end at the same time, so this waits for them no longer than a moment.
GradientLink::~GradientLink() {
    ask_in_waits(*device_, {});
    if (comm_ == nullptr) {
        return;
    }
    meeting_.limit = kParting;
    meeting_.check = {};
    if (finish(nccl_.finalize(comm_))) {
        nccl_.destroy(comm_);
    }
}

void GradientLink::abort() {
    if (comm_ != nullptr) {
        nccl_.abort(std::exchange(comm_, nullptr));
    }
}

// What was enqueued would wait for ever.
Status GradientLink::check(Clock::duration waited) {
    nccl::Code code = nccl::kSuccess;
    const nccl::Code asked = comm_ == nullptr ? nccl::kSuccess : nccl_.async_error(comm_, &code);
    code = asked == nccl::kSuccess ? code : asked;
    if (code != nccl::kSuccess && code != nccl::kInProgress) {
        return fail(code);
    }
    Status done = meeting_.check ? meeting_.check() : Status();
    if (done && waited > meeting_.limit) {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(waited).count();
        done = environment_problem("the devices of other shards have not answered that of shard " +
                                   std::to_string(meeting_.rank) + " for " + std::to_string(seconds) + " s");
    }
    if (!done) {
        abort();
    }
    return done;
}

// If a process is gone, the link between hosts says which and why.
Status GradientLink::fail(nccl::Code code) {
    abort();
    for (const auto end = Clock::now() + kGrace; meeting_.check && Clock::now() < end;) {
        TENON_TRY(meeting_.check());
        std::this_thread::sleep_for(kBetween);
    }
    return environment_problem("NCCL cannot exchange the gradients of shard " + std::to_string(meeting_.rank) + " of " +
                               std::to_string(meeting_.count) + ": " + nccl_.error_text(code));
}

Status GradientLink::finish(nccl::Code code) {
    const auto began = Clock::now();
    for (auto asked = began; code == nccl::kInProgress;) {
        if (const nccl::Code failed = nccl_.async_error(comm_, &code); failed != nccl::kSuccess) {
            code = failed;
        }
        const auto now = Clock::now();
        if (code == nccl::kInProgress && now - asked >= kBetween) {
            asked = now;
            TENON_TRY(check(now - began));
        }
    }
    return code == nccl::kSuccess ? Status() : fail(code);
}

Status GradientLink::sum(const Parts& gradients, Queue& queue) {
    if (comm_ == nullptr) {
        return environment_problem("the link between the devices of this run has ended");
    }
    if (const std::size_t bytes = size_of(gradients) * sizeof(float); received_.size() < bytes) {
        forget(queue);
        received_ = TENON_TRY(Block::make(device_, bytes));
    }
    if (!meeting_.exact) {
        TENON_TRY(queue.send());
        return reduce(gradients);
    }
    const std::size_t paired = std::bit_floor(meeting_.count);
    const std::size_t me = meeting_.rank;
    if (me >= paired) {
        TENON_TRY(exchange(me - paired, gradients, {}, queue));
        return exchange(me - paired, {}, gradients, queue);
    }
    const std::size_t beyond = me + paired;
    TENON_TRY(beyond < meeting_.count ? take(beyond, {}, gradients, queue) : Status());
    if (paired >= 4 && size_of(gradients) >= kLeastHalved) {
        TENON_TRY(sum_by_halves(gradients, queue));
    } else {
        for (std::size_t distance = 1; distance < paired; distance *= 2) {
            TENON_TRY(take(me ^ distance, gradients, gradients, queue));
        }
    }
    return beyond < meeting_.count ? exchange(beyond, gradients, {}, queue) : Status();
}

// As group_halves.cpp: pairs send the half that the other one keeps, and gather the halves in the opposite order.
Status GradientLink::sum_by_halves(const Parts& gradients, Queue& queue) {
    const std::size_t paired = std::bit_floor(meeting_.count);
    std::vector<Parts> kept = {gradients};
    std::vector<Parts> given;
    for (std::size_t distance = 1; distance < paired; distance *= 2) {
        const std::size_t all = size_of(kept.back());
        const std::size_t middle = all / 2 / kCutAt * kCutAt;
        Parts lower = cut(kept.back(), 0, middle);
        Parts upper = cut(kept.back(), middle, all);
        if ((meeting_.rank & distance) != 0) {
            std::swap(lower, upper);
        }
        TENON_TRY(take(meeting_.rank ^ distance, upper, lower, queue));
        kept.push_back(std::move(lower));
        given.push_back(std::move(upper));
    }
    for (std::size_t distance = paired / 2; distance > 0; distance /= 2) {
        TENON_TRY(exchange(meeting_.rank ^ distance, kept.back(), given.back(), queue));
        kept.pop_back();
        given.pop_back();
    }
    return {};
}

Status GradientLink::reduce(const Parts& gradients) {
    nccl::Code code = nccl_.group_start();
    for (const std::span<float> part : gradients) {
        keep(code, nccl_.all_reduce(part.data(), part.data(), part.size(), nccl::kFloat32, nccl::kSum, comm_,
                                    device_->stream.handle));
    }
    keep(code, nccl_.group_end());
    return finish(code);
}

Status GradientLink::exchange(std::size_t peer, const Parts& sends, const Parts& receives, Queue& queue) {
    TENON_TRY(queue.send());
    void* const stream = device_->stream.handle;
    const int other = static_cast<int>(peer);
    nccl::Code code = nccl_.group_start();
    for (const std::span<float> part : sends) {
        keep(code, nccl_.send(part.data(), part.size(), nccl::kFloat32, other, comm_, stream));
    }
    for (const std::span<float> part : receives) {
        keep(code, nccl_.receive(part.data(), part.size(), nccl::kFloat32, other, comm_, stream));
    }
    keep(code, nccl_.group_end());
    return finish(code);
}

Status GradientLink::take(std::size_t peer, const Parts& sends, const Parts& adds, Queue& queue) {
    Parts receives;  // as many at a time as the other one sends
    auto* room = reinterpret_cast<float*>(received_.memory());
    for (const std::span<float> part : adds) {
        receives.emplace_back(room, part.size());
        room += part.size();
    }
    TENON_TRY(exchange(peer, sends, receives, queue));
    return add(adds, queue);
}

Status GradientLink::add(const Parts& to, Queue& queue) {
    auto known = std::ranges::find_if(known_, [&](const Adding& one) { return is_same(one.to, to); });
    if (known == known_.end()) {
        known_.push_back(TENON_TRY(adding(to, queue)));
        known = known_.end() - 1;
    }
    Launch launch = launch_of(Kernel::kCopy, known->work.longest, known->work);
    launch.cost *= known->work.count;
    return queue.add(launch);
}

Result<GradientLink::Adding> GradientLink::adding(const Parts& to, Queue& queue) const {
    std::vector<CopyItem> items;
    Adding out{.to = to, .items = {}, .work = {}};
    auto* from = reinterpret_cast<float*>(received_.memory());
    for (const std::span<float> part : to) {
        const auto count = static_cast<std::int64_t>(part.size());
        items.push_back({.from = {.at = from, .shape = shape_from(std::span(&count, 1)), .strides = {.along = {1}}},
                         .to = part.data(),
                         .count = count,
                         .bytes = sizeof(float),
                         .adds = 1});
        out.work.longest = std::max(out.work.longest, count);
        from += part.size();
    }
    const std::span<const std::byte> bytes = std::as_bytes(std::span(items));
    out.items = TENON_TRY(Block::make(device_, bytes.size()));
    TENON_TRY(out.items.write(bytes.data(), bytes.size()));
    out.work.items = reinterpret_cast<const CopyItem*>(out.items.memory());
    out.work.count = static_cast<std::uint32_t>(items.size());
    queue.know({.on_device = out.items.memory(), .on_host = std::vector(bytes.begin(), bytes.end())});
    return out;
}

void GradientLink::forget(Queue& queue) {
    for (const Adding& one : known_) {
        queue.forget(one.items.memory());
    }
    known_.clear();
}

}  // namespace tenon::compiled::device
