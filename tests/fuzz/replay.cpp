// SPDX-License-Identifier: Apache-2.0
// The targets without libFuzzer:  fuzz_replay CORPUS [--rounds N] [TARGET...]
// runs every file in CORPUS/<target>/, then N inputs made of them, the same ones each time. An input that crashes is
// left in crash-<target>; it becomes a file of the corpus once the cause is mended.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/target.hpp"

namespace {

using Input = std::vector<std::uint8_t>;
namespace fs = std::filesystem;

constexpr std::size_t kLargest = 64U << 10U;

// For the handler of signals: what runs.
const Input* running = nullptr;
std::array<char, 64> crash_file{};

void leave_input(int signal) {
    const int file = ::open(crash_file.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0 && running != nullptr) {
        [[maybe_unused]] const auto written = ::write(file, running->data(), running->size());
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void run(const tenon::fuzz::Target& target, const Input& input) {
    running = &input;
    target.run(input);
    running = nullptr;
}

Input read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Numbers that readers get wrong: ends of types, sizes near the input's own.
std::uint64_t number(std::mt19937_64& random, std::size_t size) {
    constexpr std::array<std::uint64_t, 10> kEnds = {0,      1,          0x7f,       0xff,      0x7fff,
                                                     0xffff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
    return random() % 2 == 0 ? kEnds[random() % kEnds.size()] : size + random() % 9 - 4;
}

void mutate(Input& input, const Input& other, std::mt19937_64& random) {
    const std::size_t at = input.empty() ? 0 : random() % input.size();
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 7) {
        case 0:
            input.insert(place, static_cast<std::uint8_t>(random()));
            break;
        case 1:
            if (!input.empty()) {
                input[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
            }
            break;
        case 2:
            input.erase(place,
                        place + static_cast<std::ptrdiff_t>(std::min<std::size_t>(input.size() - at, random() % 16)));
            break;
        case 3: {  // a number over what is there
            const std::uint64_t value = number(random, input.size());
            const std::size_t width = std::size_t{1} << random() % 4;
            std::memcpy(input.data() + at, &value, std::min(width, input.size() - at));
            break;
        }
        case 4: {  // a number in digits
            const std::string digits = std::to_string(static_cast<std::int64_t>(number(random, input.size())));
            input.insert(place, digits.begin(), digits.end());
            break;
        }
        case 5: {  // a piece of another input
            const std::size_t from = other.empty() ? 0 : random() % other.size();
            const std::size_t size = std::min<std::size_t>(other.size() - from, random() % 64);
            const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
            input.insert(place, begin, begin + static_cast<std::ptrdiff_t>(size));
            break;
        }
        default:
            input.resize(random() % 4 == 0 ? at : input.size());
            break;
    }
    input.resize(std::min(input.size(), kLargest));
}

bool run_target(const tenon::fuzz::Target& target, const fs::path& corpus, std::uint64_t rounds) {
    std::vector<fs::path> files;
    std::error_code missing;
    for (const fs::directory_entry& entry : fs::directory_iterator(corpus / target.name, missing)) {
        files.push_back(entry.path());
    }
    if (files.empty()) {
        std::cerr << "no corpus in " << (corpus / target.name).string() << '\n';
        return false;
    }
    std::sort(files.begin(), files.end());
    const std::string crash = std::string("crash-") + target.name;
    std::copy_n(crash.c_str(), crash.size() + 1, crash_file.begin());
    std::vector<Input> inputs;
    for (const fs::path& file : files) {
        inputs.push_back(read(file));
        run(target, inputs.back());
    }
    std::mt19937_64 random(1);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        Input input = inputs[random() % inputs.size()];
        for (std::uint64_t i = 1 + random() % 6; i > 0; --i) {
            mutate(input, inputs[random() % inputs.size()], random);
        }
        run(target, input);
    }
    std::cout << target.name << ": " << files.size() << " files, " << rounds << " made of them\n";
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    std::uint64_t rounds = 2000;
    if (const auto option = std::find(words.begin(), words.end(), "--rounds");
        option != words.end() && option + 1 != words.end()) {
        rounds = std::stoull(option[1]);
        words.erase(option, option + 2);
    }
    if (words.empty()) {
        std::cerr << "fuzz_replay CORPUS [--rounds N] [TARGET...]\n";
        return 2;
    }
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        std::signal(signal, leave_input);
    }
    bool fine = true;
    for (const tenon::fuzz::Target& target : tenon::fuzz::targets()) {
        if (words.size() == 1 || std::find(words.begin() + 1, words.end(), target.name) != words.end()) {
            fine = run_target(target, words.front(), rounds) && fine;
        }
    }
    return fine ? 0 : 1;
}
