// SPDX-License-Identifier: Apache-2.0
// A diffusion policy (Chi et al. 2023, arXiv 2303.04137) with dense layers. A chunk, scaled to [-1, 1] by the bounds of
// the action, is mixed with more and more normal noise (Ho et al. 2020, arXiv 2006.11239). The network learns the noise
// in a mixture, or the chunk. Acting begins with noise and removes it step by step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "playback.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/options.hpp"
#include "tenon/region.hpp"

namespace chunks {

struct Denoiser : Playback {
    std::int64_t noise_steps = 100;
    std::string predicts;
    std::string schedule;
    double first_beta = 1e-4;
    double last_beta = 0.02;
    std::string sampler;
    std::int64_t denoise_steps = 10;
    bool clips = true;
    std::int64_t embedding = 16;
    std::vector<std::int64_t> hidden;
    std::string activation;
    std::vector<std::string> in;

    // What the network should predict from a mixture of the given chunk and noise, and what it predicts: [.., chunk,
    // width].
    [[nodiscard]] std::array<Value, 2> denoise(const Graph& g, Value given) const {
        const tn_spec* const action = predicted_action(g);
        if (action == nullptr) {
            return {};
        }
        const std::int64_t width = action->shape[0];
        const Value seen = observed(g, in);
        const Value clean = row_of(scaled(given, *action), chunk, width);
        const Value drawn = floor(static_cast<double>(noise_steps) * random_uniform(slice(clean, 0, 1), "step"));
        const Value step = min(drawn, static_cast<double>(noise_steps - 1));
        const Value noise = random_normal(clean, "noise");
        const Value kept = at(kept_by_step(), 1, step);
        const Value mixed = sqrt(kept) * clean + sqrt(1 - kept) * noise;
        return {reshape(predicts == "noise" ? noise : clean, {chunk, width}),
                reshape(guess(g, mixed, seen, step), {chunk, width})};
    }

    [[nodiscard]] Value sample(const Graph& g) const { return act_by(g, true); }
    // From zeros in place of noise, and with none added.
    [[nodiscard]] Value mode(const Graph& g) const { return act_by(g, false); }

    static constexpr auto options = std::tuple{
        tenon::option<&Denoiser::chunk>("chunk", 8, "[1,10000]", "actions in a chunk"),
        tenon::option<&Denoiser::play>("play", "plan", "ensemble|plan",
                                       "the action of a step: the weighted mean of what all chunks predict for it, or "
                                       "the next one of a chunk that is played before another is predicted"),
        tenon::option<&Denoiser::played>("played", 0, "[0,10000]", "actions of a chunk that a plan plays; 0: all"),
        tenon::option<&Denoiser::decay>("ensemble_decay", 0.01, "[0,inf)",
                                        "how much less the weight of a newer prediction is in an ensemble: exp(-decay) "
                                        "times that of the one before; 0: the same"),
        tenon::option<&Denoiser::predicts>("predicts", "chunk", "chunk|noise",
                                           "what the network predicts from a mixture of both"),
        tenon::option<&Denoiser::noise_steps>("noise_steps", 100, "[1,10000]", "steps from a chunk to noise"),
        tenon::option<&Denoiser::schedule>(
            "schedule", "cosine", "cosine|linear",
            "how the noise grows with the steps: until nothing of the chunk is left (Nichol and Dhariwal 2021), or by "
            "variances on a line from first_beta to last_beta, which need about 1,000 steps to that end"),
        tenon::option<&Denoiser::first_beta>("first_beta", 1e-4, "(0,1)",
                                             "variance of the noise of the first step, if the schedule is linear"),
        tenon::option<&Denoiser::last_beta>("last_beta", 0.02, "(0,1)",
                                            "variance of the noise of the last step, if the schedule is linear"),
        tenon::option<&Denoiser::sampler>("sampler", "ddim", "ddim|ddpm",
                                          "how noise becomes a chunk: in few steps without new noise (Song et al. "
                                          "2021), or by all steps, with new noise in each"),
        tenon::option<&Denoiser::denoise_steps>("denoise_steps", 10, "[1,10000]", "steps of ddim"),
        tenon::option<&Denoiser::clips>("clip", true, "",
                                        "clips the chunk that each step predicts to the bounds of the action"),
        tenon::option<&Denoiser::embedding>("embedding", 16, "[2,1000]",
                                            "numbers that tell the network the step: sines and cosines"),
        tenon::option<&Denoiser::hidden>("hidden", {256, 256}, "[1,1000000]", "sizes of the hidden layers"),
        tenon::option<&Denoiser::activation>("activation", "relu", tenon::kActivations,
                                             "activation after each hidden layer"),
        tenon::option<&Denoiser::in>("in", {"observation"}, "", "the columns it reads, concatenated")};
    static constexpr auto functions =
        std::tuple{tenon::function<&Denoiser::sample>("sample", "", "action"),
                   tenon::function<&Denoiser::mode>("mode", "", "action"),
                   tenon::function<&Denoiser::denoise>("denoise", "chunk", "wanted guess")};

private:
    // The variances of the noise of each step.
    [[nodiscard]] std::vector<double> betas() const {
        const auto part = [&](std::int64_t step, std::int64_t of) {
            return of == 0 ? 0 : static_cast<double>(step) / static_cast<double>(of);
        };
        const auto left = [&](std::int64_t step) {
            return std::pow(std::cos((part(step, noise_steps) + 0.008) / 1.008 * std::numbers::pi / 2), 2);
        };
        std::vector<double> out;
        for (std::int64_t i = 0; i < noise_steps; ++i) {
            out.push_back(schedule == "cosine" ? std::min(1 - left(i + 1) / left(i), 0.999)
                                               : first_beta + part(i, noise_steps - 1) * (last_beta - first_beta));
        }
        return out;
    }
    // How much of the chunk's variance is left after each step.
    [[nodiscard]] std::vector<double> kept_by_step() const {
        std::vector<double> out;
        for (const double beta : betas()) {
            out.push_back((out.empty() ? 1 : out.back()) * (1 - beta));
        }
        return out;
    }

    // The row of a table at a step [.., 1].
    static Value at(const std::vector<double>& table, std::int64_t width, Value step) {
        std::vector<tenon::In> parts;
        for (const double each : table) {
            parts.emplace_back(tenon::unsqueeze(each));
        }
        const Value flat = parts.size() == 1 ? Value{parts.front().id} : tenon::concat(parts);
        const auto rows = static_cast<std::int64_t>(table.size()) / width;
        return take(reshape(flat, {rows, width}), tenon::cast(squeeze(step), "int"));
    }

    // What the network predicts from a mixture: the noise or the chunk.
    [[nodiscard]] Value guess(const Graph& g, Value mixed, Value seen, Value step) const {
        const std::int64_t half = embedding / 2;
        const double slowest = -std::log(10'000.0) / static_cast<double>(std::max<std::int64_t>(half - 1, 1));
        const Value angle = step * exp(slowest * tenon::count_up(half));
        return layers(g, "denoiser", tenon::join({mixed, seen, sin(angle), cos(angle)}), hidden, activation,
                      tenon::last_size(mixed));
    }

    [[nodiscard]] static Value scaled(Value chunk, const tn_spec& action) {
        if (!tenon::has_finite_bounds(action)) {
            return chunk;
        }
        const tenon::ActionBounds bounds = bounds_of_chunk(action);
        return (chunk - bounds.low) / bounds.half() - 1;
    }
    [[nodiscard]] static Value unscaled(Value chunk, const tn_spec& action) {
        if (!tenon::has_finite_bounds(action)) {
            return chunk;
        }
        const tenon::ActionBounds bounds = bounds_of_chunk(action);
        return clamp(bounds.low + (chunk + 1) * bounds.half(), bounds.low, bounds.high);
    }

    [[nodiscard]] Value act_by(const Graph& g, bool draws) const {
        const tn_spec* const action = predicted_action(g);
        if (action == nullptr) {
            return {};
        }
        const std::int64_t width = action->shape[0];
        const Value flat = denoised(g, chunk * width, draws, clips && tenon::has_finite_bounds(*action));
        return act(g, unscaled(reshape(flat, {chunk, width}), *action), width);
    }

    // A row for each step of acting: its number among the steps of the noise, the weights of chunk and noise in the
    // mixture, and those of the predicted chunk, the mixture and new noise in the next mixture.
    static constexpr std::int64_t kWeights = 6;
    [[nodiscard]] std::vector<double> weights() const {
        const std::vector<double> kept = kept_by_step(), beta = betas();
        const std::int64_t count = steps();
        std::vector<double> out;
        for (std::int64_t i = count; i-- > 0;) {
            const auto now = static_cast<std::size_t>((i + 1) * noise_steps / count - 1);
            const double left = kept[now];
            const double before = i == 0 ? 1 : kept[static_cast<std::size_t>(i * noise_steps / count - 1)];
            out.insert(out.end(), {static_cast<double>(now), std::sqrt(left), std::sqrt(1 - left)});
            if (sampler == "ddpm") {
                out.insert(out.end(),
                           {std::sqrt(before) * beta[now] / (1 - left),
                            std::sqrt(1 - beta[now]) * (1 - before) / (1 - left), i > 0 ? std::sqrt(beta[now]) : 0});
            } else {
                const double rest = std::sqrt((1 - before) / (1 - left));
                out.insert(out.end(), {std::sqrt(before) - rest * std::sqrt(left), rest, 0});
            }
        }
        return out;
    }
    [[nodiscard]] std::int64_t steps() const {
        return sampler == "ddpm" ? noise_steps : std::min(denoise_steps, noise_steps);
    }

    [[nodiscard]] Value denoised(const Graph& g, std::int64_t size, bool draws, bool clipped) const {
        const Value seen = observed(g, in);
        const Value none = 0 * slice(seen, 0, 1);
        const Value empty = none + 0 * tenon::count_up(size);
        const std::vector<double> table = weights();
        const std::vector<Value> out =
            scan(tenon::Steps{"denoising", steps()}, {draws ? random_normal(empty, "start") : empty, none}, {},
                 [&](std::span<const Value> carried) {
                     const Value mixed = carried[0], row = at(table, kWeights, carried[1]);
                     const auto weight = [&](std::int64_t number) { return slice(row, number, 1); };
                     const Value predicted = guess(g, mixed, seen, weight(0));
                     const Value clean = predicts == "noise" ? (mixed - weight(2) * predicted) / weight(1) : predicted;
                     Value next = weight(3) * (clipped ? clamp(clean, -1.0, 1.0) : clean) + weight(4) * mixed;
                     if (draws && sampler == "ddpm") {
                         next = next + weight(5) * random_normal(mixed, "fresh");
                     }
                     return std::vector<Value>{next, carried[1] + 1};
                 });
        return pick(out[0], steps() - 1, "denoising");
    }
};

}  // namespace chunks
