// SPDX-License-Identifier: Apache-2.0
#include "commands/check/world.hpp"

#include <cstddef>
#include <string>

#include "base/data/key.hpp"
#include "base/data/spec_values.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {
namespace {

constexpr double kEnds = 0.1;  // share of steps that end an episode

Spec column(const std::string& key, SpecKind kind, Role role, DType dtype, const Shape& shape) {
    Spec out;
    out.key = key;
    out.kind = kind;
    out.role = role;
    out.dtype = dtype;
    out.shape = shape;
    return out;
}

Spec bounded(Spec spec, double low, double high) {
    spec.kind = SpecKind::kBounded;
    spec.low = {low};
    spec.high = {high};
    return spec;
}

Spec observation(const std::string& key, DType dtype, const Shape& shape) {
    return column(key, SpecKind::kUnbounded, Role::kObservation, dtype, shape);
}

Spec choice() {
    Spec out = column("action", SpecKind::kCategorical, Role::kAction, DType::kI64, {});
    out.categories = {3};
    return out;
}

std::vector<Composite> make_worlds() {
    const Spec reward = column("reward", SpecKind::kUnbounded, Role::kReward, DType::kF32, {});
    const Spec movement = bounded(column("action", SpecKind::kBounded, Role::kAction, DType::kF32, {2}), -2, 2);
    const Spec numbers = observation("observation", DType::kF32, {4});
    const Spec aside = bounded(observation("aside", DType::kF32, {2}), 0, 1);
    const Spec picture = bounded(observation("observation", DType::kU8, {3, 8, 8}), 0, 255);
    const Spec rewards = column("reward", SpecKind::kUnbounded, Role::kReward, DType::kF32, {3});
    const Spec success = column("success", SpecKind::kBinary, Role::kObservation, DType::kBool, {});
    const Spec legal = column("legal", SpecKind::kBinary, Role::kObservation, DType::kBool, {3});
    return {{{bounded(numbers, -2, 2), aside, choice(), reward}},
            {{numbers, aside, movement, reward}},
            {{picture, aside, choice(), reward}},
            {{numbers, aside, success, legal, choice(), reward}},
            {{numbers, aside, choice(), rewards}}};
}

}  // namespace

std::span<const Composite> worlds() {
    static const std::vector<Composite> kWorlds = make_worlds();
    return kWorlds;
}

void World::observe(Lane& lane, std::uint32_t number, std::uint32_t slot, bool is_last) {
    for (const Spec& spec : specs_->specs) {
        if (spec.role == Role::kObservation) {
            const std::string key = is_last ? next_key(spec.key) : spec.key;
            draw(spec, lane.key, lane.counter, row_at(*columns_->find(key), slot, number));
            lane.counter += static_cast<std::uint64_t>(spec.shape.elements());
        }
    }
}

void World::begin(std::uint32_t lane, std::uint32_t slot) {
    lanes_[lane].steps = 0;
    observe(lanes_[lane], lane, slot, false);
}

tn_status World::save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) {
    return writer.write(writer.ctx, &lanes_[first], count * sizeof(Lane));
}

tn_status World::load(std::uint32_t first, std::uint32_t count, const tn_reader& reader) {
    auto* to = reinterpret_cast<std::byte*>(&lanes_[first]);
    for (std::uint64_t left = count * sizeof(Lane), got = 0; left > 0; left -= got, to += got) {
        const tn_status status = reader.read(reader.ctx, to, left, &got);
        if (status != TN_OK || got == 0) {
            return status != TN_OK ? status : TN_DATA_LOSS;
        }
    }
    return TN_OK;
}

void World::step(std::uint32_t lane, std::uint32_t slot, std::uint32_t next) {
    Lane& of = lanes_[lane];
    const tn_random_block block = tn_philox(of.key, of.counter++);
    const bool ends = tn_uniform(block.word[0], block.word[1]) < kEnds;
    const bool is_cut = ++of.steps >= kLimit;
    const auto* const action = static_cast<const std::uint8_t*>(row_at(*columns_->find("action"), slot, lane));
    const double drawn = tn_uniform(block.word[2], block.word[3]);
    const View& reward = *columns_->find("reward");
    const std::int64_t rewards = reward.shape.rank > 2 ? reward.shape[2] : 1;
    for (std::int64_t i = 0; i < rewards; ++i) {
        static_cast<float*>(row_at(reward, slot, lane))[i] =
            static_cast<float>(static_cast<double>(4 + i) * drawn - 2 + action[0] % 3);
    }
    *static_cast<std::uint8_t*>(row_at(*columns_->find("terminated"), slot, lane)) = ends ? 1 : 0;
    *static_cast<std::uint8_t*>(row_at(*columns_->find("truncated"), slot, lane)) = is_cut ? 1 : 0;
    if (ends || is_cut) {
        observe(of, lane, slot, true);
        begin(lane, next);
    } else {
        observe(of, lane, next, false);
    }
}

}  // namespace tenon
