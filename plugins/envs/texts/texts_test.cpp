// SPDX-License-Identifier: Apache-2.0
// Files of text as prompts and answers: which tokens a frame has, rows of several examples, and what is said of files
// that cannot be read.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "file.hpp"
#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "support/scratch_folder.hpp"

namespace texts_test {

using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;
using text::File;

namespace {

constexpr auto kFile = tenon::env<File>("file", "text");
constexpr std::int64_t kEnd = 256;
const char* const kLines =
    "{\"prompt\": \"2+3=\", \"answer\": \"5\"}\n\n"
    "{\"id\": [1, {\"a\": null}], \"prompt\": \"12+30=\", \"answer\": \"42\"}\n"
    "{\"answer\": \"\\u00e9\\ud83d\\ude00\\n\", \"prompt\": \"\"}\n";

std::string written(const ScratchFolder& folder, const std::string& name, const std::string& contents) {
    const std::filesystem::path path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << contents;
    return path.string();
}

std::vector<std::int64_t> row_of(EnvRig& rig, const std::string& key, std::uint32_t slot, std::size_t size) {
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < size; ++i) {
        out.push_back(rig.columns.at<std::int64_t>(key, slot, 0, i));
    }
    return out;
}

// The bytes of a row, its end as '|'.
std::string text_of(const std::vector<std::int64_t>& tokens, std::size_t first, std::size_t count) {
    std::string out;
    for (std::size_t i = first; i < first + count; ++i) {
        out += tokens[i] == kEnd ? '|' : static_cast<char>(tokens[i]);
    }
    return out;
}

std::string refusal(const std::string& file, const std::function<void(OptionValues<File>&)>& change = {}) {
    try {
        text::read_examples(file, text::Tokenizer(), "prompt", "answer");
    } catch (const std::exception& error) {
        return error.what();
    }
    PluginHost host;
    const PluginInstance instance(host, kFile, 1, [&](OptionValues<File>& options) {
        options["file"].text = tenon::to_str(file);
        if (change) {
            change(options);
        }
    });
    return instance.status() == TN_OK ? "" : host.error;
}

}  // namespace

TEST_CASE("a frame has the bytes of a line's prompt, and as target those of its answer with an end") {
    const ScratchFolder folder;
    const std::string path = written(folder, "sums.jsonl", kLines);
    constexpr std::uint32_t kFrames = 60;
    EnvRig rig(kFile, 1, kFrames + 1, [&](OptionValues<File>& options) { options["file"].text = tenon::to_str(path); });
    rig.reset({3});
    std::map<std::string, std::string> seen;
    for (std::uint32_t slot = 0; slot < kFrames; ++slot) {
        const auto size = static_cast<std::size_t>(rig.columns.at<std::int64_t>("prompt_length", slot, 0));
        const auto length = static_cast<std::size_t>(rig.columns.at<std::int64_t>("target_length", slot, 0));
        const std::vector<std::int64_t> target = row_of(rig, "target", slot, 8);
        seen[text_of(row_of(rig, "prompt", slot, 6), 6 - size, size)] = text_of(target, 0, length);
        for (std::size_t i = 0; i < 8; ++i) {
            rig.columns.at<std::int64_t>("action", slot, 0, i) = i + 1 < length ? target[i] : 0;
        }
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        const auto right = static_cast<float>(length - 1) / static_cast<float>(length);
        CHECK(rig.columns.at<float>("reward", slot, 0) == Catch::Approx(right));
        CHECK(rig.columns.at<bool>("terminated", slot, 0));
    }
    CHECK(seen == std::map<std::string, std::string>{{"2+3=", "5|"}, {"12+30=", "42|"}, {"|", "\u00e9\U0001F600\n|"}});
}

TEST_CASE("longer prompts keep their last tokens, and longer answers their first") {
    const ScratchFolder folder;
    const std::string path = written(folder, "one.jsonl", R"({"question": "abcdef", "prompt": "", "reply": "ghi"})");
    EnvRig rig(kFile, 1, 2, [&](OptionValues<File>& options) {
        options["file"].text = tenon::to_str(path);
        options["prompt_key"].text = tenon::to_str("question");
        options["answer_key"].text = tenon::to_str("reply");
        options["prompt_tokens"].integer = 2;
        options["answer_tokens"].integer = 3;
    });
    rig.reset({1});
    CHECK(text_of(row_of(rig, "prompt", 0, 2), 0, 2) == "ef");
    CHECK(text_of(row_of(rig, "target", 0, 3), 0, 3) == "ghi");
    CHECK(rig.columns.at<std::int64_t>("target_length", 0, 0) == 3);
}

TEST_CASE("any piece of a text is a prompt, and what follows it the answer") {
    const ScratchFolder folder;
    std::string all;
    for (int i = 0; i < 200; ++i) {
        all += static_cast<char>('A' + i % 50);
    }
    const std::string path = written(folder, "book.txt", all);
    EnvRig rig(kFile, 1, 40, [&](OptionValues<File>& options) {
        options["file"].text = tenon::to_str(path);
        options["prompt_tokens"].integer = 5;
        options["answer_tokens"].integer = 4;
    });
    rig.reset({1});
    std::map<std::string, int> prompts;
    for (std::uint32_t slot = 0; slot < 39; ++slot) {
        const std::string prompt = text_of(row_of(rig, "prompt", slot, 5), 0, 5);
        CHECK_THAT(all, ContainsSubstring(prompt + text_of(row_of(rig, "target", slot, 4), 0, 4)));
        ++prompts[prompt];
        for (std::size_t i = 0; i < 4; ++i) {
            rig.columns.at<std::int64_t>("action", slot, 0, i) = 0;
        }
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    }
    CHECK(prompts.size() > 15);
}

TEST_CASE("a packed row has whole examples, each as often as it is drawn, and says where they begin and what counts") {
    const ScratchFolder folder;
    const std::string path = written(folder, "sums.jsonl", kLines);
    constexpr std::uint32_t kFrames = 300;
    constexpr std::size_t kSize = 16;
    EnvRig rig(kFile, 1, kFrames, [&](OptionValues<File>& options) {
        options["file"].text = tenon::to_str(path);
        options["pack"].integer = kSize;
    });
    rig.reset({8});
    std::map<std::string, int> seen;
    for (std::uint32_t slot = 0; slot < kFrames; ++slot) {
        const std::vector<std::int64_t> tokens = row_of(rig, "packed", slot, kSize);
        const std::vector<std::int64_t> first = row_of(rig, "packed_first", slot, kSize);
        for (std::size_t at = 0; at < kSize;) {
            std::size_t end = at + 1;
            for (; end < kSize && first[end] == static_cast<std::int64_t>(at); ++end) {
            }
            REQUIRE(first[at] == static_cast<std::int64_t>(at));
            std::string example;
            double weight = 0;
            for (std::size_t i = at; i < end; ++i) {
                const float each = rig.columns.at<float>("packed_weight", slot, 0, i);
                example += each > 0 && weight == 0 ? ">" : "";
                weight += each;
                example += text_of(tokens, i, 1);
            }
            CHECK(weight == Catch::Approx(end - at > 1 ? 1 : 0).margin(1e-6));
            if (end - at > 1) {
                ++seen[example];
            }
            at = end;
        }
        for (std::size_t i = 0; i < 8; ++i) {
            rig.columns.at<std::int64_t>("action", slot, 0, i) = 0;
        }
        if (slot + 1 < kFrames) {
            REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        }
    }
    REQUIRE(seen.size() == 3);
    REQUIRE(seen.contains("12+30=>42|"));
    const double all = seen["2+3=>5|"] + seen["12+30=>42|"] + seen["|>\u00e9\U0001F600\n|"];
    for (const auto& [example, count] : seen) {
        CAPTURE(example);
        CHECK(count / all == Catch::Approx(1.0 / 3).margin(0.06));
    }
}

TEST_CASE("tokens of a vocabulary are those of the package tokenizers") {
    const std::string folder = TENON_GOLDEN_DIR;
    const text::Tokenizer tokenizer(folder, "<|endoftext|>");
    std::ifstream lines(folder + "/cases.jsonl");
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const text::JsonLine::Members members = text::JsonLine::members(line, "cases");
        std::vector<std::int32_t> tokens;
        tokenizer.encode(members.at("prompt").text, tokens);
        std::string out;
        for (const std::int32_t token : tokens) {
            out += (out.empty() ? "" : " ") + std::to_string(token);
        }
        CAPTURE(members.at("prompt").text);
        CHECK(out == members.at("answer").text);
    }
    CHECK(count == 13);
    CHECK(tokenizer.end() == 0);
    CHECK(tokenizer.vocabulary() > 300);
}

TEST_CASE("what is wrong with a vocabulary is said") {
    const ScratchFolder folder;
    const auto said = [&](const std::string& vocabulary, const std::string& merges,
                          const std::string& end) -> std::string {
        written(folder, "vocab.json", vocabulary);
        written(folder, "merges.txt", merges);
        try {
            const text::Tokenizer made(folder.path().string(), end);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "";
    };
    CHECK_THAT(said("{\"a\": 0}", "", "b"), ContainsSubstring("has no token 'b'; end_token names the one"));
    CHECK_THAT(said("{\"a\": \"0\"}", "", "a"), ContainsSubstring("the token 'a' has no number"));
    CHECK_THAT(said("{\"a\": 0}", "", "a"), ContainsSubstring("has no token for the byte 0; only byte-level"));
    CHECK_THAT(said("{\"a\": 0}", "#version: 0.2\na b\n", "a"),
               ContainsSubstring("merges.txt, line 2 is no pair of tokens"));
    CHECK_THAT(said("[1]", "", "a"), ContainsSubstring("vocab.json is no JSON object"));
}

TEST_CASE("what is wrong with a file is said with its line") {
    const ScratchFolder folder;
    CHECK_THAT(refusal((folder.path() / "none.jsonl").string()), ContainsSubstring("none.jsonl cannot be read"));
    CHECK_THAT(refusal(written(folder, "a.jsonl", "{\"prompt\": \"a\", \"answer\": \"b\"}\n{\"prompt\": \"a\"}\n")),
               ContainsSubstring("a.jsonl, line 2 has no text 'answer'; it has prompt, and prompt_key"));
    CHECK_THAT(refusal(written(folder, "b.jsonl", "hello\n")),
               ContainsSubstring("b.jsonl, line 1 is no JSON object: it begins with no brace"));
    for (const char* line : {"{\"a\": \"b", "{\"a\": \"\\q\"}", "{\"a\" 1}", "{\"a\": 1} x", "{\"a\": }",
                             "{\"a\": \"\\u12g4\"}", "{\"a\": [1, 2}"}) {
        CAPTURE(line);
        CHECK_THAT(refusal(written(folder, "c.jsonl", line)), ContainsSubstring("c.jsonl, line 1 is no JSON object: "));
    }
    CHECK_THAT(refusal(written(folder, "d.jsonl", "\n")), ContainsSubstring("has no line with an example"));
    CHECK_THAT(refusal(written(folder, "e.txt", "short")),
               ContainsSubstring("has 5 tokens, but a prompt and its answer have 128"));
    CHECK_THAT(refusal(written(folder, "f.jsonl", kLines), [](auto& options) { options["pack"].integer = 13; }),
               ContainsSubstring("pack is 13, but a prompt and its answer may have 14 tokens"));
}

}  // namespace texts_test
