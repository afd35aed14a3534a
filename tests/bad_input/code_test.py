# SPDX-License-Identifier: Apache-2.0
"""Code of authors that does not compile: the compiler says what is wrong in one sentence, and little else."""

import os
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDES = [f"-I{ROOT / folder}" for folder in ("sdk/include", "plugin_api/include")]
COMPILE = [os.environ["CXX"], "-std=c++20", *INCLUDES]

ENV = """#include <tenon/env.hpp>
struct Mine {
    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})}, .actions = {tenon::categorical("action", 2)}};
    }
    void reset(tenon::Rng& rng, std::span<float, 1> observation) { observation[0] = rng.uniform(); }
    tenon::StepResult step(std::int64_t action, std::span<float, 1> observation) {
        observation[0] = action;
        return {.reward = 1};
    }
};
TENON_PLUGIN("mine", "0.1.0", tenon::env<Mine>("Mine-v0", "one"));
"""
PACKS = """#include <tenon/env.hpp>
struct Mine {
    using State = std::array<tenon::Pack, 1>;
    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})}, .actions = {tenon::categorical("action", 2)}};
    }
    void reset(tenon::Rng& rng, std::span<double, 1> state) const { state[0] = rng.uniform(); }
    tenon::PackResult step(State& state, tenon::Pack action) const {
        state[0] = state[0] + action;
        return {.reward = state[0]};
    }
    std::array<tenon::Pack, 1> observe(const State& state) const { return state; }
};
TENON_PLUGIN("mine", "0.1.0", tenon::env<Mine>("Mine-v0", "one"));
"""
TRANSFORM = """#include <tenon/transform.hpp>
struct Mine {
    struct Lane {};
    static constexpr std::string_view column = "reward";
    tenon::Spec change(tenon::Spec spec) const { return spec; }
    double apply(double x) const { return 2 * x; }
    void wire(tenon::TransformSpecs&) {}
    void gather(std::span<Lane>) {}
    void state(tenon::Archive&) {}
};
TENON_PLUGIN("mine", "0.1.0", tenon::transform<Mine>("mine", "one"));
"""
POLICY = """#include <tenon/policy.hpp>
struct Mine {
    void setup() {}
    void setup_columns(const tenon::PolicySpec&) {}
    void act(tenon::Rng&, const tenon::PolicyRow& row) const { row.action<std::int64_t>()[0] = 1; }
};
TENON_PLUGIN("mine", "0.1.0", tenon::policy<Mine>("mine", "one"));
"""
BUFFER = """#include <tenon/sampler.hpp>
struct Mine {
    static tenon::SamplerPlan plan() { return {.gathers = {{.source = "*"}}}; }
    void sample(tenon::Rng&, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        rows.set(0, buffer.at(0));
    }
};
TENON_PLUGIN("mine", "0.1.0", tenon::sampler<Mine>("mine", "one"));
"""
OBJECTIVE = """#include <tenon/objective.hpp>
#include <tenon/plugin.hpp>
struct Mine {
    void update(const tenon::Graph& g) const { g.rows("q", g.batch()["observation"]); }
};
TENON_PLUGIN("mine", "0.1.0", tenon::objective<Mine>("mine", "one"));
"""

NETWORK = """#include <tenon/plugin.hpp>
#include <tenon/policy_graph.hpp>
struct Mine {
    tenon::Value value(const tenon::Graph& g) const { return g.batch()["observation"]; }
    static constexpr auto functions = std::tuple{tenon::function<&Mine::value>("value", "", "value")};
};
TENON_PLUGIN("mine", "0.1.0", tenon::policy_graph<Mine>("mine", "one"));
"""

CODES = (ENV, PACKS, TRANSFORM, POLICY, BUFFER, OBJECTIVE, NETWORK)

RESET = "void reset(tenon::Rng& rng, std::span<float, 1> observation)"
STEP = "tenon::StepResult step(std::int64_t action, std::span<float, 1> observation)"
# What is changed in code that compiles, and what the compiler says then.
MISTAKES = [
    (ENV, STEP, "double step(std::int64_t action, std::span<float, 1> observation)",
     "step must return a tenon::StepResult"),
    (ENV, STEP, "tenon::StepResult step(unsigned action, std::span<float, 1> observation)", "step takes tenon::Rng&"),
    (ENV, STEP, "tenon::StepResult step(std::int64_t action, std::vector<float>& observation)",
     "step takes tenon::Rng&"),
    (ENV, STEP, "tenon::StepResult step(std::span<std::int64_t, 1> action, std::span<float, 1> observation)",
     "an action of several numbers is a std::span<const float>"),
    (ENV, STEP, "tenon::StepResult step(std::int64_t& action, std::span<float, 1> observation)",
     "step takes tenon::Rng&"),
    (ENV, STEP, "template <class A> tenon::StepResult step(A action, std::span<float, 1> observation)",
     "an env needs one function step"),
    (ENV, STEP, "tenon::StepResult move(std::int64_t action, std::span<float, 1> observation)",
     "an env needs one function step"),
    (ENV, RESET, "int reset(tenon::Rng& rng, std::span<float, 1> observation)", "reset must return nothing"),
    (ENV, RESET, "void reset(tenon::Rng rng, std::span<float, 1> observation)", "reset takes tenon::Rng&"),
    (ENV, RESET, "void reset(tenon::Rng& rng, std::span<float, 1> observation, int)", "but no action"),
    (ENV, RESET, "void start(tenon::Rng& rng, std::span<float, 1> observation)", "an env needs one function reset"),
    (ENV, "static tenon::EnvSpec spec()", "tenon::EnvSpec spec()", "an env needs a function spec, static or const"),
    (ENV, "struct Mine {", "struct Mine { explicit Mine(int);", "an env needs a constructor without arguments"),
    (ENV, "struct Mine {", "struct Mine { void setup(int) {}", "setup takes nothing"),
    (PACKS, "State = std::array<tenon::Pack, 1>", "State = tenon::Pack", "must be a std::array<tenon::Pack, N>"),
    (PACKS, "std::span<double, 1> state) const", "std::span<double, 1> state)", "reset of an env of packs must be"),
    (PACKS, "tenon::PackResult step(State& state, tenon::Pack action)", "tenon::PackResult step(State& state)",
     "step of an env of packs must be"),
    (PACKS, "tenon::PackResult step(", "tenon::StepResult step(", "step of an env of packs must be"),
    (PACKS, "observe(const State& state) const", "observe(const State& state)", "observe of an env of packs must be"),
    (TRANSFORM, "double apply(", "void apply(", "apply and invert must return the new number"),
    (TRANSFORM, "static constexpr std::string_view column", "static constexpr std::string_view colum",
     "a transform with apply or invert must name its columns"),
    (TRANSFORM, "tenon::Spec change(tenon::Spec spec) const", "void change(tenon::Spec& spec) const",
     "change of a transform must be"),
    (TRANSFORM, "wire(tenon::TransformSpecs&)", "wire(int)", "wire of a transform must be"),
    (TRANSFORM, "gather(std::span<Lane>)", "gather(std::vector<Lane>&)", "gather of a transform must be"),
    (POLICY, "act(tenon::Rng&, const tenon::PolicyRow& row) const",
     "act(const tenon::PolicyRow& row, tenon::Rng&) const", "a policy needs void act("),
    (POLICY, "const tenon::PolicyRow& row) const", "const tenon::PolicyRow& row)", "a policy needs void act("),
    (POLICY, "setup_columns(const tenon::PolicySpec&)", "setup_columns()", "setup_columns of a policy must be"),
    (BUFFER, "static tenon::SamplerPlan plan()", "tenon::SamplerPlan plan()", "a buffer needs a function plan"),
    (BUFFER, "void sample(tenon::Rng&, const tenon::Transitions& buffer",
     "void sample(tenon::Rng&, tenon::Transitions& buffer",
     "a buffer needs void sample("),
    (OBJECTIVE, "void update(const tenon::Graph& g) const", "void update(const tenon::Graph& g)",
     "functions of policies and objectives must be const"),
    (NETWORK, "tenon::Value value(const tenon::Graph& g)", "tn_value value(const tenon::Graph& g)",
     "functions of policies and objectives must return nothing"),
    (OBJECTIVE, "void update(", "void updates(", "an objective needs void update("),
]  # fmt: skip


def first_header(code):
    return code.split("<", 1)[1].split(">", 1)[0]


def of_the_sdk(errors):
    """Without those of the author's own lines, which the changes above may bring with them."""
    return [line for line in errors if not line.startswith("<stdin>")]


class Code(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Precompiles what the code includes first, because reading it takes most of the time of a mistake."""
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.precompiled = Path(holder.name)
        for header in sorted({first_header(code) for code in CODES}):
            to = cls.precompiled / f"{header}.gch"
            to.parent.mkdir(exist_ok=True)
            subprocess.run([*COMPILE, "-xc++-header", ROOT / "sdk/include" / header, "-o", to], check=True, capture_output=True)

    def errors_of(self, code):
        words = [COMPILE[0], f"-I{self.precompiled}", *COMPILE[1:], "-fsyntax-only", "-xc++", "-"]
        done = subprocess.run(words, input=code, capture_output=True, text=True, check=False,
                              env=dict(os.environ, LC_ALL="C"))  # fmt: skip
        return [line for line in done.stderr.splitlines() if " error: " in line]

    def test_what_the_mistakes_are_made_in_compiles(self):
        for code in CODES:
            self.assertEqual(self.errors_of(code), [])

    def test_each_mistake_has_its_sentence(self):
        codes = []
        for code, right, wrong, _ in MISTAKES:
            self.assertEqual(code.count(right), 1, right)
            codes.append(code.replace(right, wrong))
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for (_, _, wrong, sentence), errors in zip(MISTAKES, pool.map(self.errors_of, codes)):
                with self.subTest(wrong):
                    told = of_the_sdk(errors)
                    self.assertTrue(told and sentence in told[0], errors)
                    self.assertLessEqual(len(told), 2, errors)


if __name__ == "__main__":
    unittest.main()
