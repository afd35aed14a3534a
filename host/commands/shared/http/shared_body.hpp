// SPDX-License-Identifier: Apache-2.0
// The body of a request, as Beast's parser writes it, for the server's own files.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/message.hpp>
#include <cstddef>
#include <new>
#include <string>

#include "shared/http/shared_room.hpp"

namespace tenon {

// The error of a body that does not fit into memory with the bodies of other requests.
inline boost::beast::error_code no_room() {
    return make_error_code(boost::system::errc::not_enough_memory);
}

// A body as text. Memory grows as its bytes arrive, whatever length the header states.
struct SharedBody {
    // NOLINTBEGIN(readability-identifier-naming): the names by which Beast finds them
    struct value_type {
        std::string text;
        BodyShare share;
    };

    class reader {
    public:
        template <bool kRequest, class Fields>
        reader(boost::beast::http::header<kRequest, Fields>& /*header*/, value_type& body) : body_(body) {}

        void init(const auto& /*length*/, boost::beast::error_code& error) { error = {}; }

        template <class Buffers>
        std::size_t put(const Buffers& buffers, boost::beast::error_code& error) {
            const std::size_t more = boost::asio::buffer_size(buffers);
            error = no_room();
            if (!body_.share.grow_to(body_.text.size() + more)) {
                return 0;
            }
            try {
                for (const auto block : boost::beast::buffers_range_ref(buffers)) {
                    body_.text.append(static_cast<const char*>(block.data()), block.size());
                }
            } catch (const std::bad_alloc&) {
                return 0;
            }
            error = {};
            return more;
        }

        void finish(boost::beast::error_code& error) { error = {}; }

    private:
        value_type& body_;
    };
    // NOLINTEND(readability-identifier-naming)
};

}  // namespace tenon
