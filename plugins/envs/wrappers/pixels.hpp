// SPDX-License-Identifier: Apache-2.0
// Shows the policy the pictures that an env draws, as an observation [channels, height, width] of bytes. A picture is
// made smaller by the mean of the pixels that each new one covers. An env that begins the next episode by itself,
// though it is asked to leave the end of this one, cannot draw that: the final picture is then the one before the last
// step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "shrink.hpp"
#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct Pixels {
    std::int64_t height;
    std::int64_t width;
    bool grey;
    bool alone;
    std::string column;
    tenon::PictureSize drawn;
    std::size_t number = 0;  // of the observation

    static constexpr bool draws_ends = true;
    static constexpr auto options = std::tuple{
        tenon::option<&Pixels::height>("height", 84, "[1,1024]", "of the picture, in pixels"),
        tenon::option<&Pixels::width>("width", 84, "[1,1024]", "of the picture, in pixels"),
        tenon::option<&Pixels::grey>("grey", true, "one channel of brightness in place of red, green and blue"),
        tenon::option<&Pixels::alone>("alone", true, "the policy gets no other observation"),
        tenon::option<&Pixels::column>("column", "observation", "the observation with the picture"),
    };

    struct Lane {
        std::vector<std::uint8_t> drawn;
        std::vector<std::uint8_t> shown;
        void state(tenon::Archive& archive) { archive(shown); }
    };

    tenon::EnvSpec spec(tenon::EnvSpec inner, const tenon::InnerPictures& pictures) {
        drawn = pictures.size();
        if (alone) {
            inner.observations.clear();
        }
        for (const tenon::Spec& other : inner.observations) {
            if (other.key == column) {
                throw tenon::InvalidArgument("there is an observation '" + column +
                                             "' already; give the picture another name by the option 'column'");
            }
        }
        number = inner.observations.size();
        inner.observations.push_back(tenon::bounded(column, {grey ? 1 : 3, height, width}, 0, 255, TN_U8));
        return inner;
    }

    void observe(Lane& lane, const tenon::WrapperRow& row) const {
        const std::span<std::uint8_t> out = row.observation<std::uint8_t>(number);
        if (!row.ended() || row.is_left()) {
            lane.drawn.resize(std::size_t{3} * drawn.height * drawn.width);
            lane.shown.resize(out.size());
            row.draw(lane.drawn);
            shrink(lane.drawn, drawn.height, drawn.width, lane.shown, static_cast<std::size_t>(height),
                   static_cast<std::size_t>(width), grey);
        }
        std::ranges::copy(lane.shown, out.begin());
    }
};
