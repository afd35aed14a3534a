// SPDX-License-Identifier: Apache-2.0
// Samplers that look at columns: what they see, and what they may not ask for.
#include "experience/replay/sampler_reads.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "world.hpp"

namespace sampler_reads_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

// Reads one column, and keeps what it is shown.
struct Reader {
    explicit Reader(std::string_view key, std::uint32_t elements = 0)
        : read{sizeof(tn_sampler_read), elements, {key.data(), key.size()}} {}

    Callee<tn_sampler_reads_api> callee() {
        static constexpr tn_sampler_reads_api kApi = {
            .struct_size = sizeof(tn_sampler_reads_api),
            .flags = 0,
            .describe =
                [](void* self, tn_sampler_reads_info* info) {
                    info->read_count = 1;
                    info->reads = static_cast<Reader*>(self)->asks ? static_cast<Reader*>(self)->reads.data() : nullptr;
                    return tn_status{TN_OK};
                },
            .look =
                [](void* self, const tn_column* const* columns, std::uint32_t count) {
                    static_cast<Reader*>(self)->shown.assign(columns, columns + count);
                    return tn_status{TN_OK};
                }};
        Callee<tn_sampler_reads_api> out;
        out.api = &kApi;
        out.self = this;
        out.name = "replay/reader";
        return out;
    }
    tn_sampler_read read;
    std::array<const tn_sampler_read*, 1> reads = {&read};
    bool asks = true;
    std::vector<const tn_column*> shown;
};

std::string sentence_of(Reader& reader, const Storage* storage = nullptr) {
    Result<SamplerReads> made = SamplerReads::make(reader.callee());
    if (!made) {
        return made.error().sentence;
    }
    if (storage != nullptr) {
        if (const Status looked = made->look(*storage); !looked) {
            return looked.error().sentence;
        }
    }
    return "";
}

}  // namespace

TEST_CASE("a sampler is shown the memory of the columns that it reads") {
    test::World world(2, 6, 2, 2);
    Reader reader("observation");
    Result<SamplerReads> made = SamplerReads::make(reader.callee());
    REQUIRE(made);
    REQUIRE(made->columns().size() == 1);
    CHECK(made->columns()[0].key == "observation");
    REQUIRE(made->look(world.storage));
    REQUIRE(reader.shown.size() == 1);
    const StorageColumn& column = *world.storage.find("observation");
    CHECK(reader.shown[0]->tensor.data == column.view.data);
    REQUIRE(reader.shown[0]->tensor.rank == column.view.shape.rank);
    CHECK(reader.shown[0]->tensor.shape[0] == 6);
    CHECK(reader.shown[0]->tensor.shape[1] == 2);
}

TEST_CASE("who offers no such interface reads nothing") {
    const Result<SamplerReads> made = SamplerReads::make(Callee<tn_sampler_reads_api>{});
    REQUIRE(made);
    CHECK(made->columns().empty());
}

TEST_CASE("what a sampler cannot read is told") {
    test::World world(2, 6, 2, 2);
    Reader next("next.observation");
    CHECK_THAT(sentence_of(next), ContainsSubstring("replay/reader: it reads 'next.observation'; a sampler reads "
                                                    "columns as they are stored, without 'next.'"));
    Reader odd("no key");
    CHECK_THAT(sentence_of(odd), ContainsSubstring("replay/reader reads 'no key', which is not a valid key"));
    Reader nothing("observation");
    nothing.asks = false;
    CHECK_THAT(sentence_of(nothing), ContainsSubstring("its array of them is null"));
    Reader null("observation");
    null.reads[0] = nullptr;
    CHECK_THAT(sentence_of(null), ContainsSubstring("column 0 of those that it reads is a null pointer"));
    Reader other("colour");
    CHECK_THAT(sentence_of(other, &world.storage), ContainsSubstring("it reads 'colour', which the buffer does not "
                                                                     "hold"));
    Reader wide("observation", 77);
    CHECK_THAT(sentence_of(wide, &world.storage), ContainsSubstring("numbers, but 77 are needed"));
}

}  // namespace sampler_reads_test
