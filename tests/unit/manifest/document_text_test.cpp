// SPDX-License-Identifier: Apache-2.0
// A document as text that a person edits.
#include "config/manifest/document_text.hpp"

#include <string>

#include "config/manifest/parse.hpp"
#include "support/catch.hpp"

namespace document_text_test {
namespace {

tenon::TomlTable parsed(const std::string& text) {
    auto out = tenon::parse_toml(text, "m.toml");
    REQUIRE(out);
    return *std::move(out);
}

TEST_CASE("tables have headings, and their values come first") {
    const std::string text = R"([run]
name = "a"
total_frames = 1000

[env]
plugin = "a/b"
kwargs = { size = 3 }

[[env.transforms]]
plugin = "t/t"
factor = 0.5

[[env.transforms]]
plugin = "t/u"

[policy.actor]
plugin = "p/q"
in = ["x", "y"]

[optimiser]
lr = 0.001

[optimiser.critic]
lr = 0.002

[schedule]
"optimiser.lr" = { from = 0.001, to = 0.0, fraction = 1.0 }
)";
    CHECK(document_text(parsed(text)) == text);
}

TEST_CASE("the text reads back as the same document") {
    const std::string text = R"(
buffer.expert = { plugin = "r/u", init = "a \"b\".frames" }
buffer.both.mix = { expert = 0.5 }
columns."next.reward" = { of = "a.b", for = ["c"] }
objective = [{ plugin = "a/b", name = "x", batches = { expert = "expert" } }, { plugin = "a/c", name = "y" }]
env = { plugin = "a/b", lanes = 2, wrappers = [], transforms = [{ plugin = "t/t" }] }
eval.env = [{ lanes = 1 }, { plugin = "e/e", transforms = [{ plugin = "t/t" }] }]
policy.actor = { plugin = "a/b", reference = { every = 3 } }
plugins.sha256 = { a = "00" }
train = {}
)";
    const tenon::TomlTable once = parsed(text);
    const tenon::TomlTable again = parsed(document_text(once));
    CHECK(tenon::flatten({.root = again, .place = {}}) == tenon::flatten({.root = once, .place = {}}));
    CHECK(document_text(again) == document_text(once));
}

}  // namespace
}  // namespace document_text_test
