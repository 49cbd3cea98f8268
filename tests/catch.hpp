// SPDX-License-Identifier: BSD-3-Clause
// Catch2, whichever of 2 and 3 is installed.
#pragma once

#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
#endif
