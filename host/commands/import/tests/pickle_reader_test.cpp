// SPDX-License-Identifier: Apache-2.0
// A pickle that wants to call something is refused with its name, and no bytes are too strange.
#include "commands/import/pickle_reader.hpp"

#include <string>

#include "support/catch.hpp"

namespace pickle_reader_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using tenon::read_pickle;

std::string refusal(const std::string& bytes) {
    const auto read = read_pickle(bytes, "x.pt");
    REQUIRE_FALSE(read);
    return read.error().sentence;
}

}  // namespace

TEST_CASE("a pickle with code in it is refused with the name of the code") {
    // pickle.dumps of an object whose __reduce__ gives (os.system, ("true",)), with protocol 2 and protocol 4.
    CHECK(refusal(std::string("\x80\x02"
                              "cposix\nsystem\nq\x00X\x04\x00\x00\x00trueq\x01\x85q\x02Rq\x03.",
                              36)) ==
          "x.pt wants to call posix.system, which is refused: only tensors are read, and nothing is called");
    CHECK_THAT(refusal(std::string("\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93.")),
               ContainsSubstring("wants to call posix.system"));
    CHECK_THAT(refusal("\x80\x02"
                       "ctorch.hub\nloadStorage\n."),
               ContainsSubstring("wants to call torch.hub.loadStorage"));
    CHECK_THAT(refusal("\x80\x02"
                       "c__builtin__\neval\n."),
               ContainsSubstring("wants to call __builtin__.eval"));
    CHECK_THAT(refusal("(S'x'\ni__builtin__\neval\n."), ContainsSubstring("has the pickle instruction 83"));
}

TEST_CASE("damaged pickles are refused") {
    CHECK_THAT(refusal(""), ContainsSubstring("it is cut off"));
    CHECK_THAT(refusal("\x80"), ContainsSubstring("it is cut off"));
    CHECK_THAT(refusal("."), ContainsSubstring("makes no sense"));
    CHECK_THAT(refusal("K\x01."), ContainsSubstring("is not a dictionary of tensors"));
    CHECK_THAT(refusal("R."), ContainsSubstring("makes no sense"));
    CHECK_THAT(refusal("h\x05."), ContainsSubstring("makes no sense"));
    CHECK_THAT(refusal(std::string("X\xff\xff\xff\xff", 5)), ContainsSubstring("it is cut off"));
    CHECK_THAT(refusal(std::string(5'000'000, 'N')),
               ContainsSubstring("a pickle of 5000000 bytes, more than tensors need"));
    CHECK_THAT(refusal("\x8a\xff."), ContainsSubstring("makes no sense"));
}

TEST_CASE("a dictionary that contains itself ends") {
    CHECK(read_pickle("}q\x01K\x01h\x01s.", "x.pt"));
}

}  // namespace pickle_reader_test
