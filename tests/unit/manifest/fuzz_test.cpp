// SPDX-License-Identifier: Apache-2.0
// Nothing that stands in a file or after --set crashes the reader. Seeded, so that a failure can be repeated.
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "config/manifest/document_text.hpp"
#include "config/manifest/write.hpp"
#include "written.hpp"

namespace fuzz_test {

namespace {

const std::string kWhole =
    kLeast +
    "[[env.transforms]]\nplugin = \"t/t\"\nk = [1, 2.5]\n[schedule]\noptimiser.lr = { from = 1, to = 0.5e-3, "
    "frames = 10 }\nexploration.epsilon = [{ from = 1, to = 0.5, frames = 10 }, { kind = \"step\", factor = 0.5, every "
    "= 3 "
    "}]\n[optimiser.critic]\nlr = 0x10\n[plugins]\nsearch = ['a', \"\"\"b\"\"\"]\n";

std::string random_bytes(std::mt19937_64& random) {
    std::string out(random() % 200, '\0');
    for (char& c : out) {
        c = static_cast<char>(random());
    }
    return out;
}

std::string random_tokens(std::mt19937_64& random) {
    const std::vector<std::string> tokens = {
        "[",   "]", "[[",  "]]",  "{",      "}",         "=",        ".",         ",",          "\n",     " ",
        "\"",  "'", "run", "env", "policy", "objective", "schedule", "optimiser", "transforms", "plugin", "lr",
        "a/b", "1", "0.5", "inf", "true",   "#",         "\"\"\"",   "\\u0041",   "\xff",       "-",      "1e5"};
    std::string out;
    for (std::size_t i = random() % 60; i > 0; --i) {
        out += tokens[random() % tokens.size()];
    }
    return out;
}

std::string damaged(std::mt19937_64& random) {
    std::string out = kWhole;
    for (std::size_t i = 1 + random() % 4; i > 0; --i) {
        const std::size_t at = random() % out.size();
        switch (random() % 3) {
            case 0:
                out[at] = static_cast<char>(random());
                break;
            case 1:
                out.erase(at, random() % 20);
                break;
            default:
                out.insert(at, out.substr(random() % out.size(), random() % 20));
                break;
        }
        out += out.empty() ? "x" : "";
    }
    return out;
}

void check_place(const tenon::Place& place) {
    if (place.line > 0 && !place.excerpt.empty()) {
        CHECK(place.column >= 1);
        CHECK(place.column <= place.excerpt.size() + 1);
        CHECK(place.column + place.length <= place.excerpt.size() + 2);
    }
    CHECK(place.excerpt.find('\n') == std::string::npos);
}

// Read as far as it goes; what is read must be good enough to be written and read again.
void read_all(const std::string& text, const std::string& set) {
    tenon::Result<tenon::TomlTable> root = tenon::parse_toml(text, "m.toml");
    if (!root) {
        CHECK_FALSE(root.error().sentence.empty());
        check_place(root.error().place);
        for (const tenon::Place& place : root.error().also) {
            check_place(place);
        }
        return;
    }
    tenon::Document document{.root = std::move(*root), .place = {}};
    const tenon::Status status = apply_override(document.root, {set, "--set #1"});
    if (!status) {
        check_place(tenon::Status(status).error().place);
    }
    tenon::Problems problems;
    const tenon::Manifest manifest = read_tables(document, problems);
    for (const tenon::Problem& problem : problems) {
        CHECK_FALSE(render(problem).empty());
        check_place(problem.place);
    }
    CHECK(flatten(document).size() < 1000);
    if (problems.empty()) {
        const std::string resolved = write_resolved(manifest, {});
        CAPTURE(resolved);
        CHECK(write_resolved(written(resolved).manifest, {}) == resolved);
    }
}

}  // namespace

TEST_CASE("random bytes are refused or read, never more") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i) {
        const std::string text = random_bytes(random);
        CAPTURE(i, text);
        read_all(text, random_bytes(random));
    }
}

TEST_CASE("random pieces of TOML are refused or read") {
    std::mt19937_64 random(2);
    for (int i = 0; i < 5000; ++i) {
        const std::string text = random_tokens(random);
        const std::string set = random_tokens(random);
        CAPTURE(i, text, set);
        read_all(text, set);
    }
}

TEST_CASE("damaged manifests are refused or read") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 3000; ++i) {
        const std::string text = damaged(random);
        const std::string set = "env.transforms.0." + random_tokens(random);
        CAPTURE(i, text, set);
        read_all(text, set);
    }
}

TEST_CASE("a very long line is cheap") {
    std::string list = "x = [1";
    for (int i = 0; i < 200000; ++i) {
        list += ",1";
    }
    const tenon::Result<tenon::TomlTable> root = tenon::parse_toml(list + "]", "m.toml");
    REQUIRE(root);
    CHECK(root->find("x")->list()->size() == 200001);
    CHECK(root->find("x")->list()->back().place.excerpt.empty());
}

}  // namespace fuzz_test
