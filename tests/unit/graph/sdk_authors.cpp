// SPDX-License-Identifier: Apache-2.0
#include "sdk_authors.hpp"

#include <map>
#include <string>

#include "made.hpp"
#include "tenon/actor_critic.hpp"
#include "tenon/norms.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

struct DerivedMean : tenon::ActorCritic {
    void weigh(const Graph& g) const { g.rows("mean", mean(g.batch()["observation"])); }
};

struct DerivesMean {
    void update(const Graph& g) const { DerivedMean().weigh(g); }
};

struct Norms {
    void update(const Graph& g) const {
        const Value x = reshape(g.batch()["observation"], {2, 2});
        g.write("layer", tenon::layer_norm(g, "layer", x));
        g.write("renorm", tenon::batch_renorm(g, "renorm", x));
    }
};

}  // namespace

namespace tenon::test {

Author sdk_author(const char* name) {
    static const std::map<std::string, Author> authors = {
        {"DerivedMean", made<ObjectiveFunctions<DerivesMean>>()},
        {"Norms", made<ObjectiveFunctions<Norms>>()},
    };
    return authors.at(name);
}

}  // namespace tenon::test
