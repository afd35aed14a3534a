// SPDX-License-Identifier: Apache-2.0
// Datasets: recorded episodes in their own file format. An author writes
//
//     struct Lines {
//         static bool claims(const std::string& path);                 // looks like such a dataset
//         tenon::DatasetInfo open(const std::string& path);
//         void read(std::size_t episode, std::size_t column, void* rows);
//     };
//     TENON_PLUGIN("lines", "0.1.0", tenon::dataset<Lines>("lines", "episodes as lines of text"));
//
// read writes the rows of DatasetInfo::columns[column], dense: one more of an observation than of other columns. A
// format that can be written as well has
//
//     void begin(const std::string& path, const tenon::DatasetInfo& plan);   // its columns and facts
//     void append(const tenon::Episode& episode, std::span<const void* const> rows);
//     void finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/abi/dataset.h"
#include "tenon/bind_options.hpp"
#include "tenon/component.hpp"
#include "tenon/guard.hpp"
#include "tenon/plugin.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Episode {
    std::uint64_t length = 0;
    bool terminated = false;
    bool truncated = false;
    std::optional<std::uint64_t> seed = {};  // with which the env was reset
};

struct Fact {
    std::string key;
    std::string value;
};

struct DatasetInfo {
    std::vector<Spec> columns;  // with their roles
    std::vector<Episode> episodes = {};
    std::vector<Fact> facts = {};            // "env", "CartPole-v1"
    std::vector<std::string> left_out = {};  // a sentence for each part that is no column
    std::string target = {};  // of one to be written: where it will be when it is complete; empty: unknown
};

template <class T>
concept WritableDataset = requires(T& dataset, const std::string& path, const DatasetInfo& plan, const Episode& episode,
                                   std::span<const void* const> rows) {
    dataset.begin(path, plan);
    dataset.append(episode, rows);
    dataset.finish();
};

template <class T>
class DatasetAdapter {
public:
    explicit DatasetAdapter(const tn_create_args& args) : host_(args.host) { configure(dataset_, args); }

    static const void* get_interface(std::string_view interface) {
        static constexpr bool kWrites = WritableDataset<T>;
        static constexpr tn_dataset_api kTable = {.struct_size = sizeof(tn_dataset_api),
                                                  .flags = 0,
                                                  .claims = &claims,
                                                  .open = &open,
                                                  .read = &read,
                                                  .begin = kWrites ? &begin : nullptr,
                                                  .append = kWrites ? &append : nullptr,
                                                  .finish = kWrites ? &finish : nullptr};
        return interface == "tenon.dataset/1" ? &kTable : nullptr;
    }

private:
    static DatasetAdapter& of(void* self) { return *static_cast<DatasetAdapter*>(self); }
    static std::string text(tn_str from) { return std::string(to_view(from)); }

    static tn_status claims(void* self, tn_str path, std::uint8_t* yes) noexcept {
        return guard(*of(self).host_, [&] { *yes = of(self).dataset_.claims(text(path)) ? 1 : 0; });
    }

    static tn_status open(void* self, tn_str path, tn_dataset_info* info) noexcept {
        return guard(*of(self).host_, [&] { of(self).publish(of(self).dataset_.open(text(path)), *info); });
    }

    static tn_status read(void* self, std::uint64_t episode, std::uint32_t column, void* rows) noexcept {
        return guard(*of(self).host_, [&] {
            if (episode >= of(self).episodes_.size() || column >= of(self).info_.columns.size()) {
                throw InvalidArgument("there is no such episode or column");
            }
            of(self).dataset_.read(static_cast<std::size_t>(episode), column, rows);
        });
    }

    static tn_status begin(void* self, const tn_dataset_plan* plan) noexcept {
        return guard(*of(self).host_, [&] {
            DatasetInfo told;
            for (std::uint32_t i = 0; i < plan->column_count; ++i) {
                told.columns.push_back(read_spec(*plan->columns[i]));
            }
            for (std::uint32_t i = 0; i < plan->fact_count; ++i) {
                told.facts.push_back({text(plan->facts[i]->key), text(plan->facts[i]->value)});
            }
            if (plan->struct_size >= offsetof(tn_dataset_plan, target) + sizeof plan->target) {
                told.target = text(plan->target);
            }
            of(self).columns_written_ = told.columns.size();
            if constexpr (WritableDataset<T>) {
                of(self).dataset_.begin(text(plan->path), told);
            }
        });
    }

    static tn_status append(void* self, const tn_episode* episode, const void* const* rows) noexcept {
        return guard(*of(self).host_, [&] {
            if constexpr (WritableDataset<T>) {
                of(self).dataset_.append(
                    {.length = episode->length,
                     .terminated = (episode->flags & TN_EPISODE_TERMINATED) != 0,
                     .truncated = (episode->flags & TN_EPISODE_TRUNCATED) != 0,
                     .seed = (episode->flags & TN_EPISODE_SEEDED) != 0 ? std::optional(episode->seed) : std::nullopt},
                    std::span(rows, of(self).columns_written_));
            }
        });
    }

    static tn_status finish(void* self) noexcept {
        return guard(*of(self).host_, [&] {
            if constexpr (WritableDataset<T>) {
                of(self).dataset_.finish();
            }
        });
    }

    // Called once: an instance serves one dataset.
    void publish(DatasetInfo info, tn_dataset_info& out) {
        if (!info_.columns.empty()) {
            throw FailedPrecondition("this instance has opened a dataset before");
        }
        info_ = std::move(info);
        table_ = SpecTable(info_.columns);
        for (const Episode& one : info_.episodes) {
            const std::uint32_t terminated = one.terminated ? +TN_EPISODE_TERMINATED : 0;
            const std::uint32_t truncated = one.truncated ? +TN_EPISODE_TRUNCATED : 0;
            const std::uint32_t seeded = one.seed ? +TN_EPISODE_SEEDED : 0;
            episodes_.push_back(
                {sizeof(tn_episode), terminated | truncated | seeded, one.length, one.seed.value_or(0)});
        }
        for (const Fact& fact : info_.facts) {
            facts_.push_back({sizeof(tn_fact), 0, to_str(fact.key), to_str(fact.value)});
        }
        for (const std::string& sentence : info_.left_out) {
            left_out_.push_back(to_str(sentence));
        }
        for (const tn_episode& one : episodes_) {
            episode_pointers_.push_back(&one);
        }
        for (const tn_fact& fact : facts_) {
            fact_pointers_.push_back(&fact);
        }
        out.column_count = table_.size();
        out.columns = table_.data();
        out.episodes = episode_pointers_.data();
        out.episode_count = episodes_.size();
        out.facts = fact_pointers_.data();
        out.fact_count = static_cast<std::uint32_t>(facts_.size());
        out.left_out_count = static_cast<std::uint32_t>(left_out_.size());
        out.left_out = left_out_.data();
    }

    const tn_host* host_;
    T dataset_{};
    DatasetInfo info_;
    SpecTable table_;
    std::vector<tn_episode> episodes_;
    std::vector<tn_fact> facts_;
    std::vector<tn_str> left_out_;
    std::vector<const tn_episode*> episode_pointers_;
    std::vector<const tn_fact*> fact_pointers_;
    std::size_t columns_written_ = 0;
};

template <class T>
consteval auto dataset(const char* id, const char* help) {
    return component<DatasetAdapter<T>, T>(id, "dataset", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
