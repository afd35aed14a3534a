// SPDX-License-Identifier: Apache-2.0
#include "inlined.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "../../plugins/envs/classic/cartpole.hpp"
#include "tenon/bind_options.hpp"

namespace tenon::bench {
namespace {

constexpr std::uint32_t kWidth = kPackLanes;
constexpr std::size_t kNumbers = std::tuple_size_v<CartPole::State>;

struct Block {
    CartPole::State state;
    Pack steps;
};

// The arrays from some lane of a step on.
struct Rows {
    const std::int64_t* action;
    float* reward;
    bool* terminated;
    bool* truncated;
    float* next;

    Rows(const InlinedColumns& c, std::size_t at, std::size_t next_at)
        : action(c.action + at),
          reward(c.reward + at),
          terminated(c.terminated + at),
          truncated(c.truncated + at),
          next(c.observation + next_at * kNumbers) {}
};

void write(const Rows& rows, std::size_t i, const PackResult& result, const CartPole::State& state) {
    rows.reward[i] = static_cast<float>(result.reward[i]);
    rows.terminated[i] = result.terminated[i];
    rows.truncated[i] = result.truncated[i];
    unrolled<kNumbers / 2>([&](auto k) {  // converting two numbers costs what one does
        using Two = float __attribute__((vector_size(8)));
        const Two two = __builtin_convertvector((PackRegister{state[2 * k][i], state[2 * k + 1][i]}), Two);
        std::memcpy(rows.next + i * kNumbers + 2 * k, &two, sizeof two);
    });
}

}  // namespace

struct Inlined::Lanes {
    CartPole env{};
    InlinedColumns columns;
    const tn_host* host;
    double limit = INFINITY;
    std::vector<Block> blocks;
    std::vector<Rng> rngs;

    // The first `count` lanes of a block, all of them where kWhole.
    template <bool kWhole>
    [[gnu::flatten]] void step_block(Block& block, const Rows& rows, std::uint32_t count) const {
        const auto action = [&](std::size_t lane) {
            return static_cast<double>(rows.action[kWhole ? lane : std::min<std::size_t>(lane, count - 1)]);
        };
        const Pack actions = Pack::made([&](auto i) { return PackRegister{action(2 * i), action(2 * i + 1)}; });
        CartPole::State state = block.state;
        PackResult result = env.step(state, actions);
        block.state = state;
        block.steps = block.steps + 1;
        result.truncated = result.truncated | (block.steps >= limit);
        if constexpr (kWhole) {
            unrolled<kWidth>([&](auto i) { write(rows, i, result, state); });
        } else {
            unrolled<kWidth>([&](auto i) {
                if (i < count) {
                    write(rows, i, result, state);
                }
            });
        }
    }

    // A block's only lane, for which no pack is needed.
    [[gnu::flatten]] void step_lone(Block& block, const Rows& rows) const {
        CartPole::State state;
        unrolled<kNumbers>([&](auto k) { state[k] = block.state[k][0]; });
        PackResult result = env.step(state, Pack(static_cast<double>(rows.action[0])));
        unrolled<kNumbers>([&](auto k) { block.state[k].part[0][0] = state[k][0]; });
        block.steps.part[0][0] += 1;
        result.truncated = result.truncated | (Pack(block.steps[0]) >= limit);
        write(rows, 0, result, state);
    }

    void step(std::uint32_t slot, std::uint32_t next) {
        const std::uint32_t lanes = columns.lanes;
        const std::size_t at = std::size_t{slot} * lanes;
        const std::size_t next_at = std::size_t{next} * lanes;
        std::uint32_t lane = 0;
        for (; lane + kWidth <= lanes; lane += kWidth) {
            step_block<true>(blocks[lane / kWidth], {columns, at + lane, next_at + lane}, kWidth);
        }
        if (lane + 1 == lanes) {
            step_lone(blocks[lane / kWidth], {columns, at + lane, next_at + lane});
        } else if (lane < lanes) {
            step_block<false>(blocks[lane / kWidth], {columns, at + lane, next_at + lane}, lanes - lane);
        }
        for (lane = 0; lane < lanes; ++lane) {
            while (lanes - lane > sizeof(std::uint64_t) && none_done(at + lane)) {
                lane += sizeof(std::uint64_t);
            }
            if (columns.terminated[at + lane] || columns.truncated[at + lane]) {
                float* const observation = columns.observation + (next_at + lane) * kNumbers;
                std::memcpy(columns.last + (at + lane) * kNumbers, observation, kNumbers * sizeof(float));
                begin(lane, observation);
            }
        }
    }

    // Whether eight lanes all go on.
    [[nodiscard]] bool none_done(std::size_t at) const {
        std::uint64_t terminated = 0;
        std::uint64_t truncated = 0;
        std::memcpy(&terminated, columns.terminated + at, sizeof terminated);
        std::memcpy(&truncated, columns.truncated + at, sizeof truncated);
        return (terminated | truncated) == 0;
    }

    void begin(std::uint32_t lane, float* observation) {
        std::array<double, kNumbers> numbers;
        env.reset(rngs[lane], std::span(numbers));
        for (std::size_t k = 0; k < kNumbers; ++k) {
            observation[k] = static_cast<float>(numbers[k]);
        }
        // Where the last block is not full, the last lane stands in for those that it lacks.
        const std::uint32_t end = lane + 1 == columns.lanes ? kWidth : lane % kWidth + 1;
        Block& block = blocks[lane / kWidth];
        for (std::uint32_t i = lane % kWidth; i < end; ++i) {
            for (std::size_t k = 0; k < kNumbers; ++k) {
                block.state[k].part[i / 2][i % 2] = numbers[k];
            }
            block.steps.part[i / 2][i % 2] = 0;
        }
    }
};

Inlined::Inlined(const tn_create_args& args, const InlinedColumns& columns) : lanes_(std::make_unique<Lanes>()) {
    configure(lanes_->env, args);
    lanes_->columns = columns;
    lanes_->host = args.host;
    if (lanes_->env.max_episode_steps > 0) {
        lanes_->limit = static_cast<double>(lanes_->env.max_episode_steps);
    }
    lanes_->blocks.resize((columns.lanes + kWidth - 1) / kWidth);
    lanes_->rngs.assign(columns.lanes, Rng(*args.host));
}

Inlined::~Inlined() = default;

void Inlined::reset(const std::uint64_t* seeds) {
    for (std::uint32_t lane = 0; lane < lanes_->columns.lanes; ++lane) {
        lanes_->rngs[lane] = Rng(*lanes_->host, {seeds[lane], 0});
        lanes_->begin(lane, lanes_->columns.observation + lane * kNumbers);
    }
}

void Inlined::run(std::uint32_t steps) {
    std::uint32_t slot = 0;
    for (; steps > 0; --steps) {
        const std::uint32_t next = slot + 1 == lanes_->columns.slots ? 0 : slot + 1;
        lanes_->step(slot, next);
        slot = next;
    }
}

}  // namespace tenon::bench
