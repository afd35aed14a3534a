// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/act_request.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "commands/serve/act_bytes.hpp"
#include "commands/serve/column_text.hpp"
#include "support/catch.hpp"

namespace tenon::act_request_test {

Spec observation(std::string key, DType dtype, const Shape& shape) {
    Spec out;
    out.key = std::move(key);
    out.dtype = dtype;
    out.shape = shape;
    return out;
}

Spec choice(std::string key, std::int64_t categories) {
    Spec out = observation(std::move(key), DType::kI64, {});
    out.kind = SpecKind::kCategorical;
    out.categories = {categories};
    return out;
}

ServedColumns one() {
    return {.inputs = {observation("state", DType::kF32, {3})}, .needed = {true}, .outputs = {choice("action", 2)}};
}

ServedColumns several() {
    return {.inputs = {observation("image", DType::kU8, {2, 2}), choice("room", 4),
                       observation("unread", DType::kF64, {1})},
            .needed = {true, true, false},
            .outputs = {choice("move", 2), observation("force", DType::kF32, {2})},
            .samples = false};
}

ActRequest good(std::string_view body, const ServedColumns& columns) {
    INFO(body);
    auto read = read_act_request(body, columns);
    if (auto* const refused = std::get_if<Refusal>(&read)) {
        FAIL(refused->sentence);
    }
    return std::move(std::get<ActRequest>(read));
}

std::string refused(std::string_view body, const ServedColumns& columns) {
    INFO(body);
    const auto read = read_act_request(body, columns);
    REQUIRE(std::holds_alternative<Refusal>(read));
    CHECK(std::get<Refusal>(read).status == 400);
    return std::get<Refusal>(read).sentence;
}

template <class T>
std::vector<T> values(const std::vector<std::byte>& bytes) {
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

TEST_CASE("an observation alone, in an object, and under its key are the same request") {
    for (const std::string_view body :
         {"[1, -2.5, 1e-3]", R"({"observation": [1, -2.5, 1e-3]})", R"({"observation": {"state": [1, -2.5, 1e-3]}})"}) {
        const ActRequest request = good(body, one());
        CHECK(values<float>(request.columns[0]) == std::vector<float>{1, -2.5F, 1e-3F});
        CHECK((request.rows == 1 && request.single && request.client.empty() && !request.samples));
        CHECK(request.first.empty());
    }
}

TEST_CASE("a list of rows is several observations, and one row of it is still a list") {
    const ActRequest two = good("[[1,2,3],[4,5,6]]", one());
    CHECK((two.rows == 2 && !two.single));
    CHECK(values<float>(two.columns[0]) == std::vector<float>{1, 2, 3, 4, 5, 6});
    const ActRequest row = good("[[1,2,3]]", one());
    CHECK((row.rows == 1 && !row.single));
}

TEST_CASE("several columns are given by key, of each type, and those that nothing reads may be missing") {
    const ActRequest request = good(
        R"({"client": "a", "first": [true, false], "observation": {"room": [3, 0.0e0], "image": [[[0,255],[1,2]],[[3,4],[5,6]]]}})",
        several());
    CHECK(values<std::uint8_t>(request.columns[0]) == std::vector<std::uint8_t>{0, 255, 1, 2, 3, 4, 5, 6});
    CHECK(values<std::int64_t>(request.columns[1]) == std::vector<std::int64_t>{3, 0});
    CHECK(request.columns[2].empty());
    CHECK(request.client == "a");
    CHECK(request.first == std::vector<std::uint8_t>{1, 0});
    CHECK(good(R"({"observation": [0,0,0], "first": true, "mode": "sample"})", one()).samples);
    CHECK(good(R"({"observation": [[0,0,0],[0,0,0]], "first": true})", one()).first == std::vector<std::uint8_t>{1, 1});
}

TEST_CASE("numbers are rounded once, to the type of the column, and written with digits that give the same bits back") {
    const ServedColumns wide{.inputs = {observation("state", DType::kF64, {4})},
                             .needed = {true},
                             .outputs = {observation("action", DType::kF64, {4})}};
    const ActRequest request = good("[0.1, 1.7976931348623157e308, 4.9e-324, 0.30000000000000004]", wide);
    CHECK(values<double>(request.columns[0]) == std::vector<double>{0.1, std::numeric_limits<double>::max(),
                                                                    std::numeric_limits<double>::denorm_min(),
                                                                    0.1 + 0.2});
    const std::string text = act_answer(request, request.columns, wide);
    const std::string numbers = text.substr(text.find('['), text.rfind('}') - text.find('['));
    CHECK(good(numbers, wide).columns == request.columns);
    // Just above the middle between two floats; a double in between would be rounded to the middle and then down.
    const ActRequest narrow = good("[1.00000005960464477540, 1e-60, 16777217]", one());
    CHECK(values<float>(narrow.columns[0]) == std::vector<float>{std::nextafter(1.0F, 2.0F), 0.0F, 16777216.0F});
}

TEST_CASE("an answer has the form of its request") {
    const ServedColumns columns = one();
    Rows actions(1, std::vector<std::byte>(16));
    const std::int64_t two[] = {1, 0};
    std::memcpy(actions[0].data(), two, sizeof two);
    CHECK(act_answer(good("[[1,2,3],[4,5,6]]", columns), actions, columns) == "{\"action\":[1,0]}\n");
    actions[0].resize(8);
    CHECK(act_answer(good("[[1,2,3]]", columns), actions, columns) == "{\"action\":[1]}\n");
    CHECK(act_answer(good("[1,2,3]", columns), actions, columns) == "{\"action\":1}\n");
    const float force[] = {0.5F, -1};
    Rows both = {actions[0], std::vector<std::byte>(8)};
    std::memcpy(both[1].data(), force, sizeof force);
    const ServedColumns more = several();
    CHECK(act_answer(good(R"({"observation": {"room": 1, "image": [[0,1],[2,3]]}})", more), both, more) ==
          "{\"action\":{\"move\":1,\"force\":[0.5,-1.0]}}\n");
}

TEST_CASE("what is wrong with an observation is one sentence that names it") {
    const ServedColumns columns = one();
    const std::string takes = "; the policy takes [3], or a list of such rows";
    CHECK(refused("[1,2]", columns) == "the observation 'state' has 2 elements in dimension 0 of a row" + takes);
    CHECK(refused("[1,2,3,4]", columns) ==
          "the observation 'state' has more than 3 elements in dimension 0 of a row" + takes);
    CHECK(refused("[[[1,2,3]]]", columns) == "the observation 'state' is a list of 3 dimensions" + takes);
    CHECK(refused("5", columns) == "the observation 'state' is no list" + takes);
    CHECK(refused("[]", columns) == "the observation 'state' has 0 elements in dimension 0 of a row" + takes);
    CHECK(refused("[[1,2,3],[4,5]]", columns) ==
          "the observation 'state' has 2 elements in dimension 0 of a row" + takes);
    CHECK(refused("[[1,2,3],4]", columns) == "the observation 'state' has too few dimensions" + takes);
    CHECK(refused("[1,2,\"3\"]", columns) == "the observation 'state' has a text in place of a number" + takes);
    CHECK(refused("[1,[2],3]", columns) == "the observation 'state' has a list in place of a number" + takes);
    CHECK(refused("[1,null,3]", columns) == "the observation 'state' has null in place of a number" + takes);
    const std::string finite = ", which is not finite; observations are finite numbers";
    CHECK(refused("[1,NaN,3]", columns) == "the observation 'state' has NaN" + finite);
    CHECK(refused("[1,-Infinity,3]", columns) == "the observation 'state' has -Infinity" + finite);
    CHECK(refused("[1,1e39,3]", columns) == "the observation 'state' has 1e39" + finite);
    CHECK(refused("[true,1,3]", columns) == "the observation 'state' has true, but its numbers are float32");
    CHECK(refused(R"({"observation": {"stat": [1,2,3]}})", columns) ==
          "there is no observation 'stat'; did you mean 'state'? (observations: state)");
    CHECK(refused(R"({"observation": {}})", columns) == "the request has no observation 'state' (needed: state)");
    CHECK(refused(R"({"client": "a"})", columns) == "the request has no observation 'state' (needed: state)");
    CHECK(refused(R"({"observation": {"state": [1,2,3], "state": [1,2,3]}})", columns) ==
          "the observation 'state' is given twice");
    ServedColumns small = columns;
    small.most_rows = 2;
    CHECK(refused("[[1,2,3],[1,2,3],[1,2,3]]", small) == "a request has at most 2 rows");
}

TEST_CASE("what does not fit a column of choices or of whole numbers is refused") {
    const auto body = [](const std::string& room, const std::string& image) {
        return R"({"observation": {"room": )" + room + R"(, "image": )" + image + "}}";
    };
    CHECK(refused(body("4", "[[0,1],[2,3]]"), several()) ==
          "the observation 'room' has 4, but its categories are 0 to 3");
    CHECK(refused(body("-1", "[[0,1],[2,3]]"), several()) ==
          "the observation 'room' has -1, but its categories are 0 to 3");
    CHECK(refused(body("1.5", "[[0,1],[2,3]]"), several()) ==
          "the observation 'room' has 1.5, but its numbers are int64");
    CHECK(refused(body("99999999999999999999", "[[0,1],[2,3]]"), several()) ==
          "the observation 'room' has 99999999999999999999, but its numbers are int64");
    CHECK(refused(body("1", "[[0,256],[2,3]]"), several()) ==
          "the observation 'image' has 256, but its numbers are uint8");
    CHECK(refused(body("1", "[[[0,1],[2,3]]]"), several()) ==
          "the observation 'image' is a list of rows, but another is one row");
    CHECK(refused(body("[1,2]", "[[[0,1],[2,3]]]"), several()) ==
          "the observation 'image' has 1 row, but another has 2");
    CHECK(refused("[1]", several()) == "the policy reads several observations; give them by name: image, room");
}

TEST_CASE("what is wrong with a request is one sentence") {
    const ServedColumns columns = one();
    CHECK(refused(R"({"observations": [1,2,3]})", columns) ==
          "a request has no 'observations'; did you mean 'observation'? (it has: observation, client, mode, first, "
          "stream)");
    CHECK(refused(R"({"observation": [1,2,3], "mode": "best"})", columns) ==
          "the mode is \"deterministic\" or \"sample\"");
    CHECK(refused(R"({"observation": [1,2,3], "mode": 1})", columns) == "the mode is \"deterministic\" or \"sample\"");
    CHECK(refused(R"({"observation": {"image": [[0,1],[2,3]]}, "mode": "sample"})", several()) ==
          "this policy is served with its mean actions; start `tenon serve` with --actions mode to draw some");
    CHECK(refused(R"({"observation": [1,2,3], "client": 7})", columns) == "the client is a text");
    CHECK(refused(R"({"observation": [1,2,3], "client": ""})", columns) == "the name of a client has 1 to 128 bytes");
    CHECK(refused(R"({"observation": [1,2,3], "client": ")" + std::string(129, 'a') + "\"}", columns) ==
          "the name of a client has 1 to 128 bytes");
    CHECK(refused(R"({"observation": [1,2,3], "first": [true, false]})", columns) ==
          "'first' has 2 elements for 1 row");
    CHECK(refused(R"({"observation": [1,2,3], "first": 1})", columns) ==
          "'first' is true or false, or a list of these, one for each row");
    for (const std::string_view body :
         {"", "{", "[1,2,3", "[1,2,3]]", "[1,2,,3]", "[1 2 3]", "hello", "{\"observation\":}",
          "{\"observation\": [1,2,3]", "\xff\xfe", "{'observation': [1,2,3]}"}) {
        CHECK(refused(body, columns).starts_with("the body is not JSON at byte "));
    }
    CHECK(refused(std::string(100'000, '['), columns) ==
          "the observation 'state' is a list of 100000 dimensions; the policy takes [3], or a list of such rows");
}

TEST_CASE("a reset names a client") {
    CHECK(std::get<std::string>(read_reset_request(R"( {"client": "robot 1"} )")) == "robot 1");
    const auto sentence = [](std::string_view body) { return std::get<Refusal>(read_reset_request(body)).sentence; };
    CHECK(sentence("{}") == R"(a reset needs the client to be forgotten: {"client": "NAME"})");
    CHECK(sentence("") == R"(a reset needs the client to be forgotten: {"client": "NAME"})");
    CHECK(sentence(R"({"name": "a"})") == "a reset has no 'name' (it has: client)");
    CHECK(sentence(R"({"client": 1})") == "the client is a text");
    CHECK(sentence("{\"client\": \"a\"").starts_with("the body is not JSON at byte "));
}

template <class T>
std::string bytes(const std::vector<T>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

using Query = std::map<std::string, std::string, std::less<>>;

TEST_CASE("a request in bytes is the same as the one in text, and its answer is in bytes") {
    const std::string body = bytes<std::uint8_t>({0, 255, 1, 2, 3, 4, 5, 6}) + bytes<std::int64_t>({3, 0});
    const auto read = read_act_bytes(body, Query{{"client", "a"}, {"first", "1"}, {"token", "t"}}, several());
    REQUIRE(std::holds_alternative<ActRequest>(read));
    const auto& request = std::get<ActRequest>(read);
    const ActRequest same = good(
        R"({"client": "a", "first": true, "observation": {"room": [3, 0], "image": [[[0,255],[1,2]],[[3,4],[5,6]]]}})",
        several());
    CHECK(request.columns == same.columns);
    CHECK((request.client == "a" && request.first == same.first && request.rows == 2 && !request.single));
    const auto drawn = read_act_bytes(bytes<float>({1, 2, 3}), Query{{"mode", "sample"}}, one());
    CHECK((std::get<ActRequest>(drawn).samples && std::get<ActRequest>(drawn).first.empty()));
    CHECK(act_answer_bytes({std::vector<std::byte>(2, std::byte{65}), std::vector<std::byte>(1, std::byte{66})}) ==
          "AAB");
}

TEST_CASE("what is wrong with a request in bytes is one sentence") {
    const auto sentence = [](std::string_view body, const Query& query, const ServedColumns& columns) {
        return std::get<Refusal>(read_act_bytes(body, query, columns)).sentence;
    };
    const std::string row = bytes<float>({1, 2, 3});
    CHECK(sentence("", {}, one()) == "the body has 0 bytes, but a row of all needed observations has 12");
    CHECK(sentence("12345", {}, one()) == "the body has 5 bytes, but a row of all needed observations has 12");
    CHECK(sentence(bytes<float>({1, NAN, 3}), {}, one()) ==
          "the observation 'state' has a number that is not finite; observations are finite numbers");
    CHECK(sentence(row, Query{{"mode", "best"}}, one()) == "the mode is \"deterministic\" or \"sample\"");
    CHECK(sentence(row, Query{{"first", "yes"}}, one()) == "'first' is 0 or 1");
    CHECK(sentence(row, Query{{"client", ""}}, one()) == "the name of a client has 1 to 128 bytes");
    CHECK(sentence(row, Query{{"clients", "a"}}, one()) == "a request has no 'clients' (it has: client, mode, first)");
    CHECK(sentence(std::string(4, 'a') + bytes<std::int64_t>({4}), {}, several()) ==
          "the observation 'room' has 4, but its categories are 0 to 3");
    ServedColumns small = one();
    small.most_rows = 1;
    CHECK(sentence(row + row, {}, small) == "a request has at most 1 row");
}

TEST_CASE("a damaged request is refused or read, and nothing else happens") {
    const std::string text =
        R"({"client": "a\u00e9", "first": [true, false], "observation": {"room": [3, 0], "image": [[[0,255],[1,2]],[[3,4],[5,6]]]}})";
    const ServedColumns columns = several();
    for (std::size_t i = 0; i < text.size(); ++i) {
        CHECK(std::holds_alternative<Refusal>(read_act_request(text.substr(0, i), columns)));
        for (const int bit : {1, 2, 8, 32, 128}) {
            std::string damaged = text;
            damaged[i] = static_cast<char>(damaged[i] ^ bit);
            const auto read = read_act_request(damaged, columns);
            if (const auto* const request = std::get_if<ActRequest>(&read)) {
                CHECK(request->columns[0].size() == request->rows * 4U);
                CHECK(request->columns[1].size() == request->rows * 8U);
            }
        }
    }
}

}  // namespace tenon::act_request_test
