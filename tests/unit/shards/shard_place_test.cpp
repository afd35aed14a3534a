// SPDX-License-Identifier: Apache-2.0
// What the variables of launchers say.
#include "engines/shards/shard_place.hpp"

#include <map>
#include <string>

#include "support/catch.hpp"

namespace shard_place_test {

using namespace tenon;

namespace {

using Variables = std::map<std::string, std::string>;

Result<std::optional<ShardPlace>> place_of(Variables variables, std::size_t shards) {
    return shard_of_launcher(
        [&](const char* name) { return variables.contains(name) ? variables[name] : std::string(); }, shards);
}

std::string problem_of(Variables variables, std::size_t shards) {
    const auto place = place_of(std::move(variables), shards);
    return place ? "" : place.error().sentence;
}

}  // namespace

TEST_CASE("each launcher says which shard a process is") {
    struct Row {
        const char* name;
        Variables variables;
        std::size_t rank;
        const char* endpoint;
    };
    const Row rows[] = {
        {"torchrun",
         {{"RANK", "1"},
          {"WORLD_SIZE", "2"},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", "29500"},
          {"TORCHELASTIC_USE_AGENT_STORE", "True"}},
         1,
         "tcp://127.0.0.1:29501"},
        {"a PyTorchJob",
         {{"RANK", "0"},
          {"WORLD_SIZE", "2"},
          {"MASTER_ADDR", "job-master-0"},
          {"MASTER_PORT", "23456"},
          {"TENON_KEY", "s"}},
         0,
         "tcp://job-master-0:23456"},
        {"srun",
         {{"SLURM_PROCID", "1"},
          {"SLURM_NTASKS", "2"},
          {"SLURM_STEP_NODELIST", "node[05-08,11]"},
          {"SLURM_JOB_ID", "70001"},
          {"TENON_KEY", "s"}},
         1,
         "tcp://node05:30001"},
        {"mpirun of Open MPI",
         {{"OMPI_COMM_WORLD_RANK", "1"},
          {"OMPI_COMM_WORLD_SIZE", "2"},
          {"MASTER_ADDR", "localhost"},
          {"MASTER_PORT", "5000"}},
         1,
         "tcp://localhost:5000"},
        {"mpirun of MPICH",
         {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "5000"}},
         1,
         "tcp://localhost:5000"},
        {"an indexed Job",
         {{"JOB_COMPLETION_INDEX", "1"}, {"MASTER_ADDR", "run-0.run"}, {"MASTER_PORT", "5000"}, {"TENON_KEY", "s"}},
         1,
         "tcp://run-0.run:5000"},
        {"a script, by a file",
         {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "/tmp/meeting"}},
         1,
         "ipc:///tmp/meeting"},
        {"tenon itself", {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"TENON_MEETING", "ipc:///tmp/m"}}, 1, "ipc:///tmp/m"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const auto place = place_of(row.variables, 2);
        REQUIRE(place);
        REQUIRE(place->has_value());
        CHECK((*place)->rank == row.rank);
        CHECK((*place)->endpoint == row.endpoint);
    }
}

TEST_CASE("without a launcher, and in a batch script, this process starts the others") {
    CHECK_FALSE(place_of({}, 2)->has_value());
    CHECK_FALSE(place_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}, 2)->has_value());
}

TEST_CASE("a launcher that disagrees with the manifest is told so") {
    CHECK(problem_of({{"RANK", "0"}, {"WORLD_SIZE", "4"}}, 2) ==
          "the run has 2 shards, but RANK is 0 and WORLD_SIZE is 4");
    CHECK(problem_of({{"RANK", "0"}}, 2) == "the run has 2 shards, but RANK is 0 and WORLD_SIZE is not set");
    CHECK(problem_of({{"RANK", "x"}, {"WORLD_SIZE", "2"}}, 2) == "RANK is 'x', but must be the number of a shard");
    CHECK(problem_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node5"}, {"MASTER_PORT", "abc"}}, 2) ==
          "MASTER_PORT is 'abc', but must be a port, 1 to 65534");
    CHECK(problem_of({{"JOB_COMPLETION_INDEX", "2"}}, 2) == "JOB_COMPLETION_INDEX is 2, but the run has shards 0 to 1");
    CHECK(problem_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}, 2) ==
          "a launcher has started this shard, but does not say where shard 0 is");
    CHECK(problem_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node5"}, {"MASTER_PORT", "5000"}}, 2) ==
          "the shards of this run open ports on the network, at tcp://node5:5000, and TENON_KEY is not set");
    for (const char* const here : {"localhost", "127.0.0.1", "[::1]"}) {
        CHECK(place_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", here}, {"MASTER_PORT", "5000"}}, 2));
    }
}

TEST_CASE("processes that are to meet in a run of one shard are told so") {
    const auto warning = [](Variables variables) {
        return unshared_launch(
            [&](const char* name) { return variables.contains(name) ? variables[name] : std::string(); });
    };
    const Variables two = {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node5"}};
    CHECK(warning(two) ==
          "a launcher has started 2 processes that are to meet at node5 (MASTER_ADDR), but run.shards is 1, so each "
          "of them makes a whole run");
    CHECK(warning({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}) == "");  // such as a run for each seed
    CHECK(warning({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "node5"}}) == "");
    CHECK(warning({{"JOB_COMPLETION_INDEX", "1"}, {"MASTER_ADDR", "node5"}}) == "");
}

TEST_CASE("mpirun's MPI links what it has started, unless an address is given") {
    const auto link_of = [](Variables variables) {
        return link_of_process(
            [&](const char* name) { return variables.contains(name) ? variables[name] : std::string(); });
    };
    const Variables openmpi = {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
    CHECK(link_of({}) == "zmq");
    CHECK(link_of(openmpi) == "openmpi");
    CHECK(link_of({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}) == "mpich");
    CHECK(link_of({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}) == "zmq");  // it starts the others itself
    for (const char* const other : {"MASTER_ADDR", "TENON_MEETING", "RANK", "SLURM_PROCID"}) {
        Variables both = openmpi;
        both[other] = "x";
        CHECK(link_of(both) == "zmq");
    }
    CHECK(link_of({{"TENON_LINK", "mpich"}, {"MASTER_ADDR", "node5"}}) == "mpich");
}

TEST_CASE("the first host of Slurm's lists") {
    CHECK(first_host("node7") == "node7");
    CHECK(first_host("node7,node8") == "node7");
    CHECK(first_host("node[05-08,11]") == "node05");
    CHECK(first_host("gpu-a[3,7]") == "gpu-a3");
}

TEST_CASE("TENON_WAIT limits the wait for the others") {
    const auto limit_of = [](const std::string& text) { return limit_of_meeting([&](const char*) { return text; }); };
    CHECK(*limit_of("") == std::chrono::minutes(10));
    CHECK(*limit_of("7") == std::chrono::seconds(7));
    for (const char* const wrong : {"0", "soon", "-1", "1000001"}) {
        const auto limit = limit_of(wrong);
        REQUIRE(!limit);
        CHECK(limit.error().sentence ==
              "TENON_WAIT is '" + std::string(wrong) + "', but must be a number of seconds, 1 to 1000000");
    }
    const auto place = place_of({{"RANK", "1"},
                                 {"WORLD_SIZE", "2"},
                                 {"MASTER_ADDR", "127.0.0.1"},
                                 {"MASTER_PORT", "29500"},
                                 {"TENON_WAIT", "30"}},
                                2);
    REQUIRE((place && *place));
    CHECK((*place)->limit == std::chrono::seconds(30));
}

}  // namespace shard_place_test
