// SPDX-License-Identifier: Apache-2.0
#include "head_authors.hpp"

#include <array>
#include <map>
#include <span>
#include <string>

#include "made.hpp"
#include "tenon/heads.hpp"

using tenon::Batch;
using tenon::Graph;
using tenon::Value;

namespace {

struct CategoricalOf {
    static tenon::Categorical head(const Graph& g, const Batch& from) {
        return {tenon::only_allowed(g, from["logits"])};
    }
};

struct OneHotOf {
    static tenon::OneHot head(const Graph& g, const Batch& from) {
        return {tenon::only_allowed(g, from["logits"]), tenon::kind_of(*g.spec("action"))};
    }
};

struct OrdinalOf {
    static tenon::Categorical head(const Graph& g, const Batch& from) {
        return {tenon::only_allowed(g, tenon::ordinal(from["logits"]))};
    }
};

struct MultiCategoricalOf {
    static tenon::MultiCategorical head(const Graph& g, const Batch& from) {
        const tn_spec& action = *g.spec("action");
        return {tenon::by_part(tenon::only_allowed(g, from["logits"]),
                               std::span(action.categories, action.category_count))};
    }
};

struct BernoulliOf {
    static tenon::Bernoulli head(const Graph& g, const Batch& from) {
        return {from["logits"], tenon::kind_of(*g.spec("action"))};
    }
};

struct NormalOf {
    static tenon::Normal head(const Graph& /*g*/, const Batch& from) { return {from["loc"], from["scale"]}; }
};

struct TanhNormalOf {
    static tenon::TanhNormal head(const Graph& g, const Batch& from) {
        return {from["loc"], from["scale"], tenon::bounds_of(*g.spec("action"))};
    }
};

struct TruncatedNormalOf {
    static tenon::TruncatedNormal head(const Graph& g, const Batch& from) {
        return {from["loc"], from["scale"], tenon::bounds_of(*g.spec("action"))};
    }
};

struct HybridOf {
    static tenon::Hybrid head(const Graph& g, const Batch& from) {
        const std::array<std::int64_t, 2> sizes = {3, 2};
        const tn_spec& action = *g.spec("action");
        return {tenon::by_part(from["logits"], sizes),
                from["loc"],
                from["scale"],
                tenon::constants(std::span(action.low, 2)),
                {tenon::constants(std::span(action.low, 4).subspan(2)),
                 tenon::constants(std::span(action.high, 4).subspan(2))}};
    }
};

// Each column of the action has its standard head, but "action.near".
template <bool kSeparate>
struct CompositeOf {
    static tenon::Composite head(const Graph& /*g*/, const Batch& from) {
        tenon::Composite out{from["parameters"], {}, kSeparate};
        for (const tn_spec* column : Graph::actions()) {
            const bool is_near = tenon::to_view(column->key) == "action.near";
            out.parts.push_back({column, is_near ? "truncated_normal" : tenon::suited(*column).head});
        }
        return out;
    }
};

template <class Of>
struct All {
    void prepare(const Graph& g) const {
        const auto head = Of::head(g, g.batch());
        const auto other = Of::head(g, g.batch().under("other."));
        const tenon::Draw draw = head.sample();
        g.write("drawn", draw.action);
        g.write("drawn.log_prob", draw.log_prob);
        g.write("drawn.again", head.log_prob(draw.action));
        g.write("drawn.other", other.log_prob(draw.action));
        g.write("log_prob", head.log_prob(g.batch()["action"]));
        g.write("mode", head.mode());
        g.write("entropy", head.entropy());
        g.write("kl", other.kl(head));
        g.write("kl.itself", head.kl(head));
        g.write("kl.unpacked", tenon::unpacked(head, tenon::packed(other)).kl(head));
        if constexpr (requires { head.mean(); }) {
            g.write("mean", head.mean());
        }
    }
    void update(const Graph& /*g*/) const {}
};

// What the parts of a hybrid say by themselves.
struct HybridParts {
    void prepare(const Graph& g) const {
        const auto whole = HybridOf::head(g, g.batch());
        const auto other = HybridOf::head(g, g.batch().under("other."));
        const Value action = g.batch()["action"];
        g.write("choices.log_prob", whole.choices().log_prob(g.batch()["chosen"]));
        g.write("reals.log_prob", whole.reals().log_prob(tenon::slice(action, 2, 2)));
        g.write("choices.mode", whole.choices().mode());
        g.write("reals.mode", whole.reals().mode());
        g.write("choices.entropy", whole.choices().entropy());
        g.write("reals.entropy", whole.reals().entropy());
        g.write("choices.kl", other.choices().kl(whole.choices()));
        g.write("reals.kl", other.reals().kl(whole.reals()));
    }
    void update(const Graph& /*g*/) const {}
};

// What the network "actor" says through its functions: its draw with the parameters that acting stores, its kl.
struct ActorSays {
    void prepare(const Graph& g) const {
        const auto actor = g.network("actor")(g.batch());
        const auto drawn = actor.call<4>("sample", {});
        g.write("drawn.log_prob", drawn[1]);
        g.write("drawn.again", actor.log_prob(drawn[0]));
        g.write("loc", drawn[2]);
        g.write("scale", drawn[3]);
        g.write("kl", actor.kl());
    }
    void update(const Graph& /*g*/) const {}
};

// The same for likelihoods and draws that are learnt from.
struct WeighsActor {
    void prepare(const Graph& g) const {
        const auto actor = g.network("actor")(g.batch());
        const auto drawn = actor.call<4>("sample", {});
        g.write("drawn", drawn[0]);
        g.write("drawn.log_prob", drawn[1]);
        g.write("scale", drawn[3]);
        g.write("mode", actor.mode());
        g.write("log_prob", actor.log_prob(g.batch()["action"]));
    }
    void update(const Graph& g) const {
        const auto actor = g.network("actor")(g.batch());
        const tenon::Draw drawn = actor.sample();
        g.rows("weighed",
               sum(g.batch()["weight"] * drawn.action) + drawn.log_prob - actor.log_prob(g.batch()["action"]));
    }
};

struct ValuesSay {
    void prepare(const Graph& g) const {
        const auto q = g.network("qvalue")(g.batch());
        g.write("values", q.values());
        g.write("q", q.q(g.batch()["action"]));
    }
    void update(const Graph& /*g*/) const {}
};

struct Scales {
    void prepare(const Graph& g) const {
        const Value raw = g.batch()["raw"];
        g.write("scale", tenon::positive_scale(raw, 1e-4));
        g.write("half", tenon::positive_scale(raw, 1e-4, 0.5));
        g.write("free", tenon::exp_scale(raw, 1e-4));
    }
    void update(const Graph& /*g*/) const {}
};

}  // namespace

namespace tenon::test {

Author head_author(const char* name) {
    static const std::map<std::string, Author> authors = {
        {"CategoricalHead", made<All<CategoricalOf>>()},
        {"OrdinalHead", made<All<OrdinalOf>>()},
        {"OneHotHead", made<All<OneHotOf>>()},
        {"MultiCategoricalHead", made<All<MultiCategoricalOf>>()},
        {"BernoulliHead", made<All<BernoulliOf>>()},
        {"NormalHead", made<All<NormalOf>>()},
        {"TanhNormalHead", made<All<TanhNormalOf>>()},
        {"TruncatedNormalHead", made<All<TruncatedNormalOf>>()},
        {"HybridHead", made<All<HybridOf>>()},
        {"CompositeHead", made<All<CompositeOf<false>>>()},
        {"CompositeHeads", made<All<CompositeOf<true>>>()},
        {"HybridParts", made<HybridParts>()},
        {"WeighsActor", made<WeighsActor>()},
        {"ActorSays", made<ActorSays>()},
        {"ValuesSay", made<ValuesSay>()},
        {"Scales", made<Scales>()},
    };
    return authors.at(name);
}

}  // namespace tenon::test
