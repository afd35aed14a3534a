// SPDX-License-Identifier: Apache-2.0
// What shards say to each other when something is wrong: one sentence, which names both sides.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "memory_link.hpp"
#include "support/catch.hpp"

namespace group_test {

using namespace tenon;
using namespace tenon::test;
using namespace std::chrono_literals;

TEST_CASE("a shard of another build is named in every shard, with both values where they are short") {
    std::vector<std::string> said(3);
    in_group(3, [&](Group& group) {
        const Status met = group.meet({{.name = "build", .value = "b1"},
                                       {.name = "level", .value = group.rank() == 2 ? "avx2" : "avx512", .shown = true},
                                       {.name = "manifest", .value = ""}});
        said[group.rank()] = met ? "" : met.error().sentence;
    });
    for (const std::string& sentence : said) {
        CHECK(sentence == "shard 2 of 3 (thread 2) has another level than shard 0 of 3 (thread 0): avx2, not avx512");
    }
}

TEST_CASE("of values of several lines the first one that differs is shown") {
    const std::string mine = "[run]\nseed = 0\n[env]\n";
    for (const auto& [theirs, end] :
         {std::pair("[run]\nseed = 3\n[env]\n", ": [run] seed = 3, not seed = 0"),
          std::pair("[run]\nseed = 0\n", ": [run] nothing, not [env]"), std::pair("one line", "")}) {
        std::vector<std::string> said(2);
        in_group(2, [&, theirs = theirs](Group& group) {
            const Status met = group.meet({{.name = "manifest", .value = group.rank() == 0 ? mine : theirs}});
            said[group.rank()] = met ? "" : met.error().sentence;
        });
        for (const std::string& sentence : said) {
            CHECK(sentence ==
                  std::string("shard 1 of 2 (thread 1) has another manifest than shard 0 of 2 (thread 0)") + end);
        }
    }
}

TEST_CASE("shards that have all in common know each other's names") {
    std::vector<std::string> names(3);
    in_group(3, [&](Group& group) {
        if (group.meet({{.name = "build", .value = "b1"}, {.name = "manifest", .value = "a\nb"}})) {
            names[group.rank()] = group.named(1);
        }
    });
    CHECK(names == std::vector<std::string>(3, "shard 1 of 3 (thread 1)"));
}

TEST_CASE("a shard that fails tells the others why, with its fault, and they need not say it") {
    std::vector<std::string> said(3);
    std::vector<Fault> faults(3);
    in_group(3, [&](Group& group) {
        if (!group.meet({})) {
            return;
        }
        if (group.rank() == 1) {
            const Problem why = plugin_problem("the env has failed");
            group.leave(&why);
            return;
        }
        ExchangeHead head;
        const Status done = group.sum(head, {}, DType::kF32);
        said[group.rank()] = done ? "" : done.error().sentence;
        faults[group.rank()] = done ? Fault::kInput : done.error().fault;
        group.leave(&done.error());
    });
    for (const std::size_t rank : {0U, 2U}) {
        CHECK(said[rank] == "shard 1 of 3 (thread 1): the env has failed");
        CHECK(faults[rank] == Fault::kPlugin);
    }
}

TEST_CASE("a shard that ends without a word is named, and how it ended") {
    std::vector<std::string> said(2);
    in_group(2, [&](Group& group) {
        if (!group.meet({}) || group.rank() == 1) {
            return;
        }
        group.explain_ends([](std::size_t) { return ShardEnd{.how = "was ended by SIGKILL", .is_killed = true}; });
        const Result<std::string> heard = group.hear(1, MessageKind::kRound);
        said[0] = heard ? *heard : heard.error().sentence + (group.lost(1) ? "" : ", but it is not lost");
    });
    CHECK(said[0] == "shard 1 of 2 (thread 1) was ended by SIGKILL");
}

TEST_CASE("a long wait is told, and again when it has doubled; the slowest shard is the one that has waited least") {
    const auto all = std::make_shared<Exchangers>(2);
    std::vector<std::string> told;
    std::thread late([&] {
        Group group(std::make_unique<MemoryLink>(all, 1), {.rank = 1, .count = 2}, "b");
        std::this_thread::sleep_for(100ms);
        (void)group.tell(0, MessageKind::kRound, "");
        (void)group.hear(0, MessageKind::kWord);
    });
    Group group(std::make_unique<MemoryLink>(all, 0),
                {.rank = 0,
                 .count = 2,
                 .patience = 10ms,
                 .tell = [&](const std::string& sentence) { told.push_back(sentence); }},
                "a");
    REQUIRE(group.hear(1, MessageKind::kRound));
    CHECK(told.size() > 1);
    CHECK(told.size() < 6);
    CHECK(told.front() == "shard 0 of 2 (a) has waited for 0 s for shard 1 of 2");
    CHECK(group.times().wait_s > 0.05);
    CHECK(group.times().exchange_s == 0);
    CHECK(group.times().slowest == 1);
    group.note_wait(1, 10);
    CHECK(group.times().slowest == 0);
    group.forget_times();
    CHECK(group.times().wait_s == 0);
    (void)group.tell(1, MessageKind::kWord, "");
    late.join();
}

TEST_CASE("a shard that says nothing is waited for until the limit") {
    std::vector<std::string> said(2);
    in_group(
        2,
        [&](Group& group) {
            if (group.rank() == 0) {
                const Result<std::string> heard = group.hear(1, MessageKind::kRound);
                said[0] = heard ? *heard : heard.error().sentence;
                return;
            }
            std::this_thread::sleep_for(1500ms);
        },
        1000ms);
    CHECK(said[0] == "shard 1 of 2 has said nothing for 1 s, while shard 0 of 2 (thread 0) waits for it");
}

TEST_CASE("shards that go different ways end instead of waiting for each other") {
    std::vector<std::string> said(2);
    in_group(2, [&](Group& group) {
        if (!group.meet({})) {
            return;
        }
        if (group.rank() == 1) {
            (void)group.tell(0, MessageKind::kRound, "");
            (void)group.hear(0, MessageKind::kWord);
            return;
        }
        ExchangeHead head;
        const Status done = group.sum(head, {}, DType::kF32);
        said[0] = done ? "" : done.error().sentence;
    });
    CHECK(
        said[0] ==
        "the shards have come apart: shard 1 of 2 (thread 1) has ended its round, while shard 0 of 2 (thread 0) makes "
        "an update");
}

TEST_CASE("gradients of another size are noticed") {
    std::vector<std::string> said(2);
    in_group(2, [&](Group& group) {
        if (!group.meet({})) {
            return;
        }
        Network network;
        network.gradient = *Slab::make(group.rank() == 0 ? 64 : 128);
        const std::vector<Network*> networks = {&network};
        ExchangeHead head{.gathered = 1};
        const Status done = group.sum(head, networks, DType::kF32);
        said[group.rank()] = done ? "" : done.error().sentence;
    });
    CHECK(said[0] == "shard 1 of 2 (thread 1) sent other gradients than shard 0 of 2 (thread 0) has");
}

}  // namespace group_test
