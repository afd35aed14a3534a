// SPDX-License-Identifier: Apache-2.0
#include "train/collect/memories.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/data/port.hpp"
#include "base/data/state_stream.hpp"

namespace tenon {

Status Memories::add(const Port& port) {
    const std::size_t bytes = row_bytes(port) * lanes_;
    Memory memory{.key = port.key, .now = {}, .later = {}};
    for (Slab* slab : {&memory.now, &memory.later}) {
        *slab = TENON_TRY(Slab::make(bytes));
    }
    all_.push_back(std::move(memory));
    return {};
}

const Memories::Memory* Memories::find(std::string_view key) const {
    const auto found = std::ranges::find(all_, key, &Memory::key);
    return found == all_.end() ? nullptr : &*found;
}

const void* Memories::now(std::string_view key) const {
    const Memory* const memory = find(key);
    return memory == nullptr ? nullptr : memory->now.data();
}

void* Memories::later(std::string_view key) const {
    const Memory* const memory = find(key);
    return memory == nullptr ? nullptr : memory->later.data();
}

std::size_t Memories::lane_bytes() const {
    std::size_t out = 0;
    for (const Memory& memory : all_) {
        out += memory.now.size() / lanes_;
    }
    return out;
}

void Memories::read_lane(std::uint32_t lane, std::byte* to) const {
    for (const Memory& memory : all_) {
        const std::size_t bytes = memory.now.size() / lanes_;
        std::memcpy(to, static_cast<const std::byte*>(memory.now.data()) + lane * bytes, bytes);
        to += bytes;
    }
}

void Memories::write_lane(std::uint32_t lane, const std::byte* from) {
    for (const Memory& memory : all_) {
        const std::size_t bytes = memory.now.size() / lanes_;
        std::memcpy(static_cast<std::byte*>(memory.now.data()) + lane * bytes, from, bytes);
        from += bytes;
    }
}

bool Memories::is_like(const Memories& other) const {
    return std::ranges::equal(all_, other.all_, [&](const Memory& a, const Memory& b) {
        return a.key == b.key && a.now.size() * other.lanes_ == b.now.size() * lanes_;
    });
}

void Memories::advance() {
    for (Memory& memory : all_) {
        std::swap(memory.now, memory.later);
    }
}

void Memories::advance(std::span<const std::uint32_t> lanes) {
    for (const Memory& memory : all_) {
        const std::size_t bytes = memory.now.size() / lanes_;
        for (const std::uint32_t lane : lanes) {
            std::memcpy(static_cast<std::byte*>(memory.now.data()) + lane * bytes,
                        static_cast<const std::byte*>(memory.later.data()) + lane * bytes, bytes);
        }
    }
}

Status Memories::save(const tn_writer& writer) const {
    StateSink sink(writer);
    sink.number<std::uint64_t>(all_.size());
    for (const Memory& memory : all_) {
        sink.text(memory.key);
        sink.number<std::uint64_t>(memory.now.size());
        sink.bytes(memory.now.data(), memory.now.size());
    }
    return sink.status("the lanes' memories");
}

Status Memories::load(const tn_reader& reader) {
    StateSource source(reader);
    bool same = source.number<std::uint64_t>() == all_.size();
    for (const Memory& memory : all_) {
        same = same && source.text() == memory.key && source.number<std::uint64_t>() == memory.now.size();
        if (!same) {
            break;
        }
        source.bytes(memory.now.data(), memory.now.size());
    }
    return same || source.failed() ? source.status("the lanes' memories")
                                   : Status(input_problem("the saved memories do not fit this run's policies"));
}

}  // namespace tenon
