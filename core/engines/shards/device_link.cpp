// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/device_link.hpp"

#include <vector>

#include "compute/exec/device_engine.hpp"
#include "engines/shards/group.hpp"

namespace tenon {
namespace {

// What a process tells about its device: a letter, and then its place or what is missing.
constexpr char kHas = '+';
constexpr char kLacks = '-';

std::string card_of(const Device& device) {
    const Result<std::string> place = device.engine->links->place(device);
    return place ? kHas + *place : kLacks + place.error().sentence;
}

// Why the devices of these cards cannot be linked; empty: they can.
std::string why_apart(const Group& group, const std::vector<std::string>& cards) {
    for (std::size_t rank = 0; rank < cards.size(); ++rank) {
        if (!cards[rank].starts_with(kHas)) {
            return group.named(rank) + ": " + cards[rank].substr(1);
        }
        for (std::size_t other = 0; other < rank; ++other) {
            if (cards[other] == cards[rank]) {
                return group.named(other) + " and " + group.named(rank) + " share a GPU, and NCCL needs one for each";
            }
        }
    }
    return "";
}

// What rank 0 decides: kLacks and why, or kHas and the link's id.
Result<std::string> decide(Group& group, const Device& device) {
    if (group.rank() != 0) {
        TENON_TRY(group.tell(0, MessageKind::kCard, card_of(device)));
        return group.hear(0, MessageKind::kVerdict);
    }
    std::vector<std::string> cards = {card_of(device)};
    for (std::size_t rank = 1; rank < group.count(); ++rank) {
        cards.push_back(TENON_TRY(group.hear(rank, MessageKind::kCard)));
    }
    const std::string why = why_apart(group, cards);
    const std::string verdict = why.empty() ? kHas + TENON_TRY(device.engine->links->new_id(device)) : kLacks + why;
    for (std::size_t rank = 1; rank < group.count(); ++rank) {
        TENON_TRY(group.tell(rank, MessageKind::kVerdict, verdict));
    }
    return verdict;
}

}  // namespace

Result<std::string> link_devices(Group& group, const std::shared_ptr<Device>& device, bool exact) {
    const std::string verdict = TENON_TRY(decide(group, *device));
    if (!verdict.starts_with(kHas)) {
        return verdict.substr(1);
    }
    group.link_devices(TENON_TRY(device->engine->links->open(
        device,
        {.rank = group.rank(), .count = group.count(), .id = verdict.substr(1), .exact = exact, .check = [&group] {
             return group.check();
         }})));
    return std::string();
}

}  // namespace tenon
