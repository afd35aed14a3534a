// SPDX-License-Identifier: Apache-2.0
// Every elementwise operation, with numbers of all kinds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "engines/compiled/kernels/kernels.hpp"
#include "unit/update_kernels/on_device.hpp"

namespace on_device {

inline constexpr std::int64_t kCount = 77;

// Numbers around 0, large ones, infinities and NaN.
inline std::vector<float> all_kinds(std::mt19937_64& generator) {
    std::vector<float> out = normal(generator, kCount);
    const float special[] = {0.0F,
                             -0.0F,
                             1.0F,
                             -1.0F,
                             1e-30F,
                             -1e30F,
                             88.0F,
                             -104.0F,
                             0.5F,
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
    for (std::size_t i = 0; i < std::size(special); ++i) {
        out[3 * i] = special[i];
        out[(5 * i + 1) % out.size()] = special[i];
    }
    return out;
}

inline std::vector<std::int64_t> integers(std::mt19937_64& generator) {
    std::vector<std::int64_t> out(kCount);
    for (std::int64_t& each : out) {
        each = static_cast<std::int64_t>(generator() % 11) - 5;
    }
    return out;
}

inline std::vector<unsigned char> flags(std::mt19937_64& generator) {
    std::vector<unsigned char> out(kCount);
    for (unsigned char& each : out) {
        each = static_cast<unsigned char>(generator() % 2);
    }
    return out;
}

inline bool compares(Code code) {
    return code >= Code::kEq && code <= Code::kNot;
}

// Whether a GPU has the bits: not of functions that are its own library's.
inline bool is_exact(Code code) {
    return code != Code::kPow && code != Code::kAtan2 && code != Code::kErfinv && code != Code::kSin &&
           code != Code::kCos;
}

struct Signature {
    std::vector<Kind> in;
    Kind out;
};

inline Signature signature_of(Code code, Kind kind) {
    switch (code) {
        case Code::kWhere:
            return {{Kind::kBool, kind, kind}, kind};
        case Code::kClamp:
            return {{kind, kind, kind}, kind};
        case Code::kIntToReal:
            return {{Kind::kInt}, Kind::kReal};
        case Code::kBoolToReal:
            return {{Kind::kBool}, Kind::kReal};
        case Code::kBoolToInt:
            return {{Kind::kBool}, Kind::kInt};
        case Code::kRealToInt:
            return {{Kind::kReal}, Kind::kInt};
        case Code::kRealToBool:
            return {{Kind::kReal}, Kind::kBool};
        case Code::kIntToBool:
            return {{Kind::kInt}, Kind::kBool};
        case Code::kIsIndex:
            return {{Kind::kInt, Kind::kInt}, Kind::kReal};
        case Code::kNot:
            return {{Kind::kBool}, Kind::kBool};
        case Code::kAdd:
        case Code::kSub:
        case Code::kMul:
        case Code::kDiv:
        case Code::kPow:
        case Code::kAtan2:
        case Code::kMinimum:
        case Code::kMaximum:
            return {{kind, kind}, kind};
        default:
            return compares(code) ? Signature{{kind, kind}, Kind::kBool} : Signature{{kind}, kind};
    }
}

inline View random_column(Case& at, std::mt19937_64& generator, Kind kind) {
    return kind == Kind::kInt    ? at.column<std::int64_t>({kCount}, integers(generator))
           : kind == Kind::kBool ? at.column<unsigned char>({kCount}, flags(generator))
                                 : at.column<float>({kCount}, all_kinds(generator));
}

// Calls f(kind, code) for every elementwise operation.
inline void each_elementwise(const auto& f) {
    const Kernels& cpu = kernels(DType::kF32);
    int tried = 0;
    for (const Kind kind : {Kind::kReal, Kind::kInt, Kind::kBool}) {
        const auto& maps = kind == Kind::kReal ? cpu.map : kind == Kind::kInt ? cpu.map_int : cpu.map_bool;
        for (std::size_t code = 0; code < maps.size(); ++code) {
            if (maps[code] == nullptr) {
                continue;
            }
            CAPTURE(static_cast<int>(kind), code);
            f(kind, static_cast<Code>(code));
            ++tried;
        }
    }
    CHECK(tried > 60);
}

inline void add_elementwise(Case& at, std::mt19937_64& generator, Kind kind, Code code) {
    const Signature signature = signature_of(code, kind);
    Op op{.code = code, .kind = kind, .in = {}, .out = {}};
    for (const Kind in : signature.in) {
        op.in.push_back(random_column(at, generator, in));
    }
    op.out = at.result(signature.out, {kCount});
    const View out = op.out;
    at.add(std::move(op));
    at.see(out, signature.out);
}

inline bool has_all_bits(const Device& device, Code code) {
    return is_exact(code) || device.table.device_type == TN_DEVICE_EMULATED;
}

inline void try_elementwise(const std::shared_ptr<Device>& device) {
    std::mt19937_64 generator(3);
    each_elementwise([&](Kind kind, Code code) {
        Case at;
        add_elementwise(at, generator, kind, code);
        at.run(device, has_all_bits(*device, code));
    });
}

// All of them in one launch, several times.
inline void try_all_elementwise(const std::shared_ptr<Device>& device, int times) {
    std::mt19937_64 generator(3);
    Case at;
    at.times = times;
    each_elementwise([&](Kind kind, Code code) {
        if (has_all_bits(*device, code)) {
            add_elementwise(at, generator, kind, code);
        }
    });
    at.run(device);
}

inline void try_imports(const std::shared_ptr<Device>& device) {
    const std::vector<std::byte> bytes = {std::byte{0}, std::byte{1}, std::byte{200}, std::byte{3}};
    for (const Kind kind : {Kind::kReal, Kind::kInt, Kind::kBool}) {
        Case at;
        const View x = at.column(DType::kU8, Kind::kInt, {4}, bytes);
        Op op{.code = Code::kImport, .kind = kind, .in = {x}, .out = at.result(kind, {4})};
        op.number = static_cast<std::int64_t>(DType::kU8);
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, kind);
        at.run(device);
    }
}

}  // namespace on_device
