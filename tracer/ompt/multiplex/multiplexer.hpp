// SPDX-License-Identifier: BSD-3-Clause
// Hands each callback of a runtime to several tools. Tool 0 is this one; without others nothing of it is registered.
#pragma once

#include "omp-tools.h"
#include "tracer/ompt/multiplex/data_words.hpp"

namespace tracer::ompt::several {

/// Before any tool registers something: the runtime's functions, and how many tools there are.
void begin_multiplexing(ompt_function_lookup_t runtime, unsigned tools) noexcept;

/// What a tool registers. The runtime's answer.
ompt_set_result_t set_callback(unsigned tool, ompt_callbacks_t event, ompt_callback_t callback) noexcept;
/// That of tool 0, with the signature of the runtime's own.
ompt_set_result_t set_own_callback(ompt_callbacks_t event, ompt_callback_t callback) noexcept;

/// Nothing of the tool is called any more.
void drop_callbacks(unsigned tool) noexcept;

/// The entry point for another tool, which returns that tool's own data words. nullptr: the runtime has none of that
/// name.
ompt_interface_fn_t lookup_of(unsigned tool, const char* name) noexcept;

/// A callback that hands on to all tools; nullptr: there is no such event.
ompt_callback_t handing_on(ompt_callbacks_t event) noexcept;

/// What the tool has registered; nullptr: nothing.
ompt_callback_t callback_of(unsigned tool, int event) noexcept;
unsigned number_of_tools() noexcept;

/// The words behind a runtime's word: those of an object without a name are nobody's. nullptr only for nullptr.
ompt_data_t* words_behind(const ompt_data_t* runtimes_word) noexcept;

}  // namespace tracer::ompt::several
