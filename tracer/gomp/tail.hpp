// SPDX-License-Identifier: BSD-3-Clause
// Entry points that become jumps: what they keep on the stack is gone while libgomp runs the program's code.
#pragma once

/// Before `return` and a call of a function of the same type: a jump. GCC makes one of it by itself, clang not always.
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#if __has_cpp_attribute(clang::musttail)
#define TRACER_TAIL [[clang::musttail]]
#endif
#endif
#ifndef TRACER_TAIL
#define TRACER_TAIL
#endif
