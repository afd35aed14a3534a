// SPDX-License-Identifier: Apache-2.0
// libzmq, which is loaded when it is first asked for, and those of its functions and numbers that links use. The
// numbers are those of zmq.h of libzmq 4, which never change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error/result.hpp"

namespace tenon::zmq {

enum SocketKind : int { kPair = 0, kDealer = 5, kRouter = 6 };

enum Option : int {
    kSendBuffer = 11,
    kReceiveBuffer = 12,
    kLinger = 17,
    kReconnectMs = 18,
    kLongestMessage = 22,
    kSendLimit = 23,
    kReceiveLimit = 24,
    kLastEndpoint = 32,
    kRouterMandatory = 33,
    kKeepAlive = 34,
    kKeepAliveCount = 35,
    kKeepAliveIdle = 36,  // seconds, as the next one
    kKeepAliveInterval = 37,
    kIpv6 = 42,
    kCurveServer = 47,
    kCurvePublicKey = 48,
    kCurveSecretKey = 49,
    kCurveServerKey = 50,
    kHeartbeatMs = 75,
    kHeartbeatLimitMs = 77,
    kUnansweredMs = 80,
};

constexpr int kDontWait = 1;
constexpr int kMore = 2;
constexpr short kPollIn = 1;
constexpr short kPollOut = 2;
constexpr int kEventDisconnected = 0x0200;
constexpr int kEventHandshakeSucceeded = 0x1000;
constexpr int kEventProtocolFailed = 0x2000;  // of a handshake; libzmq connects no more if only one side has a key
constexpr int kEventHandshakeFailed = 0x0800 | kEventProtocolFailed | 0x4000;

struct Message {
    alignas(void*) unsigned char bytes[64];
};

struct PollItem {
    void* socket = nullptr;
    int fd = 0;
    short events = kPollIn;
    short revents = 0;
};

struct Library {
    void (*version)(int* major, int* minor, int* patch);
    void* (*ctx_new)();
    int (*ctx_term)(void* context);
    void* (*socket)(void* context, int kind);
    int (*close)(void* socket);
    int (*setsockopt)(void* socket, int option, const void* value, std::size_t bytes);
    int (*getsockopt)(void* socket, int option, void* value, std::size_t* bytes);
    int (*bind)(void* socket, const char* endpoint);
    int (*connect)(void* socket, const char* endpoint);
    int (*send)(void* socket, const void* bytes, std::size_t size, int flags);
    int (*msg_init)(Message* message);
    int (*msg_recv)(Message* message, void* socket, int flags);
    int (*msg_close)(Message* message);
    void* (*msg_data)(Message* message);
    std::size_t (*msg_size)(const Message* message);
    int (*msg_more)(const Message* message);
    int (*poll)(PollItem* items, int count, long limit_ms);
    int (*monitor)(void* socket, const char* endpoint, int events);
    int (*curve_public)(char* public_text, const char* secret_text);
    char* (*z85_encode)(char* text, const std::uint8_t* bytes, std::size_t size);
    int (*error)();
    const char* (*error_text)(int code);
};

// The problem says what brings the library.
Result<const Library*> library();

// The end of a sentence about the last call that has failed.
std::string last_error(const Library& zmq);

}  // namespace tenon::zmq
