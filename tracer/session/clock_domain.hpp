// SPDX-License-Identifier: BSD-3-Clause
// Whose clock a process reads, and whose the others of its launch read.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tracer {

class Session;

/// The kernel's id of this boot; empty where it has none.
std::string boot_id();

/// Of a process of that boot: all of them read one counter. For tests TRACER_TEST_CLOCK (see session.cpp) makes it
/// another.
std::string clock_domain(const std::string& boot);

/// Of a rank: equal where ranks read one clock. Without a domain each rank has a clock of its own, as for who merges.
std::uint64_t clock_number(const std::string& domain, std::uint32_t rank);

/// tracer_front_end::clocks_of_launch: `clocks` by rank, empty when all are known to have them. Throws for want of
/// memory.
bool query_clocks(const Session& session, std::uint32_t rank, std::span<std::uint64_t> clocks);

}  // namespace tracer
