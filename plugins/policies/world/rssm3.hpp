// SPDX-License-Identifier: Apache-2.0
// The recurrent state-space model of the third Dreamer (Hafner et al. 2023, arXiv 2301.04104). What it believes of a
// state is drawn from several independent choices of a few classes each, with a hundredth of each probability equal for
// all classes. Draws pass the gradient of the probabilities. Real columns are read and decoded as their symlog.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "block_gru.hpp"
#include "observed.hpp"
#include "pictures3.hpp"
#include "tenon/categories.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/heads/action.hpp"
#include "tenon/options.hpp"
#include "two_hot.hpp"

namespace world {

struct Rssm3 {
    std::int64_t memory_size = 128;
    std::int64_t blocks = 4;
    std::int64_t latents = 8;
    std::int64_t classes = 8;
    std::int64_t hidden = 64;
    std::int64_t encoder_layers = 2;
    std::int64_t decoder_layers = 2;
    std::int64_t bins = 255;
    double unimix = 0.01;
    std::vector<std::string> in;
    std::vector<std::string> decodes;
    std::vector<std::int64_t> filters;

    // Acting and updates see a draw of the posterior, evaluations its mode.
    [[nodiscard]] Value features(const Graph& g) const {
        const Value memory = remembered(g);
        return concat(memory, believed(posterior(g, memory), "posterior"));
    }

    // Makes the step of an action. Returns the features before it, the logarithms of the probabilities of prior and
    // posterior, and the memory of the next state, which it remembers.
    [[nodiscard]] std::array<Value, 4> step(const Graph& g, Value action) const {
        const Value memory = remembered(g);
        const Value after = posterior(g, memory);
        const Value belief = believed(after, "posterior");
        const Value next = moved_on(g, memory, belief, action);
        g.remember("memory", next);
        return {concat(memory, belief), log(prior(g, memory)), log(after), next};
    }

    // The features of the batch's state, given what is remembered there. The batch may be the next one, whose state
    // may be the last of its episode.
    [[nodiscard]] Value arrived(const Graph& g, Value memory) const {
        return concat(memory, believed(posterior(g, memory), "arrived"));
    }

    // Features that may follow, by a draw of the prior.
    [[nodiscard]] Value imagine(const Graph& g, Value features, Value action) const {
        check_own(features, memory_size + latents * classes);
        const Value memory =
            moved_on(g, slice(features, 0, memory_size), slice(features, memory_size, latents * classes), action);
        return concat(memory, drawn(prior(g, memory), "prior"));
    }

    // The reward of the step that led to the features, and the cross-entropy of a reward.
    [[nodiscard]] Value reward(const Graph& g, Value features) const {
        return two_hot().decoded(reward_logits(g, features));
    }
    [[nodiscard]] Value reward_error(const Graph& g, Value features, Value reward) const {
        return two_hot().error(reward_logits(g, features), reward);
    }

    // The logit of the probability that the episode goes on.
    [[nodiscard]] Value continues(const Graph& g, Value features) const {
        return squeeze(dense3(g, "continues.out", layers3(g, "continues", features, 1, hidden), 1));
    }

    [[nodiscard]] Value decoded(const Graph& g, Value features) const {
        const Value last = layers3(g, "decoder", features, decoder_layers, hidden);
        if (!filters.empty()) {
            const std::string key = only_target(in, decodes);
            return PictureDecoder{filters}(g, last, key, tenon::sizes_of(g.batch()[key.c_str()]));
        }
        return dense3(g, "decoder.out", last, tenon::last_size(observed(g)));
    }

    // What the decoder decodes to.
    [[nodiscard]] Value observed(const Graph& g) const { return targets(g, in, decodes, symlog); }

    static constexpr auto options = std::tuple{
        tenon::option<&Rssm3::memory_size>("memory_size", 128, "[1,1000000]", "size of what it remembers"),
        tenon::option<&Rssm3::blocks>("blocks", 4, "[1,1024]", "blocks of the memory, each with its own weights"),
        tenon::option<&Rssm3::latents>("latents", 8, "[1,1024]", "how many choices it draws in each state"),
        tenon::option<&Rssm3::classes>("classes", 8, "[2,1024]", "classes of each choice"),
        tenon::option<&Rssm3::hidden>("hidden", 64, "[1,1000000]", "size of each hidden layer"),
        tenon::option<&Rssm3::encoder_layers>("encoder_layers", 2, "[0,64]", "hidden layers before the posterior"),
        tenon::option<&Rssm3::decoder_layers>("decoder_layers", 2, "[0,64]", "hidden layers of the decoder"),
        tenon::option<&Rssm3::bins>("bins", 255, "[3,10001]", "numbers among which a reward is shared; odd"),
        tenon::option<&Rssm3::unimix>("unimix", 0.01, "[0,1)", "share of the probability that all classes have alike"),
        tenon::option<&Rssm3::in>("in", {"observation"}, "", "the columns it observes, concatenated"),
        tenon::option<&Rssm3::decodes>(
            "decodes", {}, "", "the columns it decodes, concatenated, pixels divided by 255; if empty, those of `in`"),
        tenon::option<&Rssm3::filters>("filters", {}, "[1,100000]",
                                       "channels of the transposed convolutions that decode a picture, each of which "
                                       "doubles it; if empty, pictures are decoded as rows")};
    static constexpr auto functions =
        std::tuple{tenon::function<&Rssm3::step>("step", "action", "features prior posterior memory"),
                   tenon::function<&Rssm3::features>("features", "", "features"),
                   tenon::function<&Rssm3::arrived>("arrived", "memory", "features"),
                   tenon::function<&Rssm3::imagine>("imagine", "features action", "features"),
                   tenon::function<&Rssm3::reward>("reward", "features", "reward"),
                   tenon::function<&Rssm3::reward_error>("reward_error", "features reward", "error"),
                   tenon::function<&Rssm3::continues>("continues", "features", "logit"),
                   tenon::function<&Rssm3::decoded>("decoded", "features", "observation"),
                   tenon::function<&Rssm3::observed>("observed", "", "observation")};

private:
    [[nodiscard]] Value remembered(const Graph& g) const {
        core().check();
        return g.memory("memory", {memory_size});
    }

    [[nodiscard]] Value moved_on(const Graph& g, Value memory, Value belief, Value action) const {
        return core()(g, memory, {belief, seen_action(g, action)});
    }

    // Within -1 and 1: a share of the way between its bounds, or one-hot.
    static Value seen_action(const Graph& g, Value action) {
        const tn_spec* const spec = g.spec("action");
        if (spec == nullptr) {
            return action;
        }
        if (tenon::holds_categories(*spec)) {
            return tenon::categories_one_hot(action, *spec);
        }
        const Value row = tenon::join({cast(action, "real")});
        if (!tenon::has_finite_bounds(*spec)) {
            return row / stop_gradient(max(abs(row), 1.0));
        }
        const tenon::ActionBounds bounds = tenon::bounds_of(*spec);
        return (row - bounds.low) / bounds.half() - 1;
    }

    [[nodiscard]] Value posterior(const Graph& g, Value memory) const {
        const Value tokens = layers3(g, "encoder", tenon::join(inputs(g, in, symlog)), encoder_layers, hidden);
        return probabilities(g, "posterior", layers3(g, "posterior", concat(memory, tokens), 1, hidden));
    }
    [[nodiscard]] Value prior(const Graph& g, Value memory) const {
        return probabilities(g, "prior", layers3(g, "prior", memory, 2, hidden));
    }

    // [.., latents, classes].
    [[nodiscard]] Value probabilities(const Graph& g, const std::string& name, Value x) const {
        const Value logits = reshape(dense3(g, name + ".out", x, latents * classes), {latents, classes});
        return (1 - unimix) * softmax(logits) + unimix / static_cast<double>(classes);
    }

    [[nodiscard]] Value believed(Value probabilities, const char* label) const {
        return Graph::drawing() ? drawn(probabilities, label) : flat(one_hot(argmax(probabilities), classes));
    }

    // Sampled by inversion: the first class whose cumulative probability reaches a uniform number. Its gradient is that
    // of the probabilities (straight-through).
    [[nodiscard]] Value drawn(Value probabilities, const char* label) const {
        const Value uniform = random_uniform(squeeze(slice(probabilities, 0, 1)), label);
        const Value passed = sum(cast(unsqueeze(uniform) > cumsum(probabilities), "real"));
        const Value hot = one_hot(cast(min(passed, static_cast<double>(classes - 1)), "int"), classes);
        return flat(Graph::training() ? hot + (probabilities - stop_gradient(probabilities)) : hot);
    }

    [[nodiscard]] Value flat(Value x) const { return reshape(x, {latents * classes}); }

    [[nodiscard]] Value reward_logits(const Graph& g, Value features) const {
        return dense3(g, "reward.out", layers3(g, "reward", features, 1, hidden), bins, 0);
    }

    [[nodiscard]] BlockGru core() const { return {memory_size, blocks, hidden}; }
    [[nodiscard]] TwoHot two_hot() const {
        const TwoHot out{bins};
        out.check();
        return out;
    }
};

}  // namespace world
