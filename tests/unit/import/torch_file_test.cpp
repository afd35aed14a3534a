// SPDX-License-Identifier: Apache-2.0
// Files of torch.save are read as torch has them, and damaged ones are refused.
#include "run/import/torch_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "run/import/weights_source.hpp"
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

TEST_CASE("a compressed entry is refused") {
    std::string bytes = slurp(golden("sb3_cartpole.zip"));
    const std::size_t listed = bytes.rfind(std::string("PK\1\2", 4), bytes.rfind("policy.pth"));
    bytes[listed + 10] = 8;
    const auto read = read_torch_file(bytes, "x.zip");
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error().sentence, ContainsSubstring("x.zip: the entry policy.pth is compressed"));
}

}  // namespace torch_file_test
