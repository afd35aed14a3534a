/* SPDX-License-Identifier: Apache-2.0 */
/* The SDK's version, for C and C++. */
#ifndef TENON_VERSION_H
#define TENON_VERSION_H

#define TENON_SDK_VERSION "0.1.0"

#endif
