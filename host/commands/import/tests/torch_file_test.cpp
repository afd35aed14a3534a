// SPDX-License-Identifier: Apache-2.0
// Files of torch.save are read as torch has them, and damaged ones are refused.
#include "commands/import/torch_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "commands/import/weights_source.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace torch_file_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using tenon::ForeignTensor;
using tenon::read_foreign_weights;
using tenon::read_torch_file;
using tenon::test::slurp;

std::string golden(const std::string& name) {
    return std::string(TENON_GOLDEN) + "/" + name;
}

}  // namespace

TEST_CASE("tensors of torch.save are what torch has") {
    const auto read = read_foreign_weights(golden("torch_state.pt"));
    REQUIRE(read);
    std::ifstream wanted(golden("torch_state.txt"));
    std::size_t count = 0;
    for (std::string line; std::getline(wanted, line); ++count) {
        const std::size_t first = line.find('|');
        const std::size_t second = line.find('|', first + 1);
        REQUIRE(count < read->size());
        const ForeignTensor& tensor = (*read)[count];
        CHECK(tensor.name + " " == line.substr(0, first));
        std::istringstream shape(line.substr(first + 1, second - first - 1));
        std::istringstream values(line.substr(second + 1));
        std::vector<std::int64_t> extents;
        for (std::int64_t extent = 0; shape >> extent;) {
            extents.push_back(extent);
        }
        std::vector<double> numbers;
        for (std::string word; values >> word;) {
            numbers.push_back(std::strtod(word.c_str(), nullptr));
        }
        CHECK(tensor.shape == extents);
        CHECK(tensor.values == numbers);
    }
    CHECK(count == read->size());
    CHECK(count == 7);
}

TEST_CASE("a model of Stable-Baselines3 contains such a file") {
    const auto read = read_foreign_weights(golden("sb3_cartpole.zip"));
    REQUIRE(read);
    REQUIRE(read->size() == 12);
    CHECK(read->front().name == "mlp_extractor.policy_net.0.weight");
    CHECK(read->front().shape == std::vector<std::int64_t>{64, 4});
}

TEST_CASE("cut and changed files give tensors or a sentence") {
    const std::string whole = slurp(golden("torch_state.pt"));
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        const auto read = read_torch_file(whole.substr(0, size), "x.pt");
        REQUIRE_FALSE(read);
        CHECK_FALSE(read.error().sentence.empty());
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char value : {'\0', '\x7f', '\xff'}) {
            std::string changed = whole;
            changed[at] = value;
            const auto read = read_torch_file(changed, "x.pt");
            REQUIRE((read || !read.error().sentence.empty()));
        }
    }
}

TEST_CASE("deflated entries are read as stored ones") {
    const auto stored = read_foreign_weights(golden("sb3_cartpole.zip"));
    const auto deflated = read_foreign_weights(golden("sb3_deflated.zip"));  // zlib's blocks with codes of their own
    const auto inner = read_foreign_weights(golden("torch_deflated.pt"));    // short ones, with fixed codes
    const auto plain = read_foreign_weights(golden("torch_state.pt"));
    REQUIRE(stored);
    REQUIRE(deflated);
    REQUIRE(inner);
    REQUIRE(plain);
    for (const auto& [one, other] : {std::pair{&*stored, &*deflated}, std::pair{&*plain, &*inner}}) {
        REQUIRE(one->size() == other->size());
        for (std::size_t i = 0; i < one->size(); ++i) {
            CHECK((*one)[i].name == (*other)[i].name);
            CHECK((*one)[i].values == (*other)[i].values);
        }
    }
}

TEST_CASE("entries of other forms, damaged ones and those that grow too much are refused") {
    const auto refusal = [](std::size_t offset, char value, std::size_t count) {
        std::string bytes = slurp(golden("sb3_deflated.zip"));
        const std::size_t listed = bytes.rfind(std::string("PK\1\2", 4), bytes.rfind("policy.pth"));
        for (std::size_t i = 0; i < count; ++i) {
            bytes[listed + offset + i] = value;
        }
        const auto read = read_torch_file(bytes, "x.zip");
        REQUIRE_FALSE(read);
        return read.error().sentence;
    };
    CHECK(refusal(10, 12, 1) == "x.zip: the entry policy.pth is encrypted, or compressed in another way than deflate");
    CHECK(refusal(8, 1, 1) == "x.zip: the entry policy.pth is encrypted, or compressed in another way than deflate");
    CHECK(refusal(16, 0, 4) ==
          "x.zip is a damaged zip file: the entry policy.pth does not decompress to what was stored");
    CHECK_THAT(refusal(24, '\x7f', 4), ContainsSubstring("x.zip: the entry policy.pth has 2139062143 bytes in "));
}

}  // namespace torch_file_test
