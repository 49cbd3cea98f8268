// SPDX-License-Identifier: BSD-3-Clause
// A writer that hands its events to another writer on a thread of its own: a single long location
// keeps two processors busy, one translating and one writing.
#pragma once

#include <memory>

#include "tracer/event_sink.hpp"

namespace tracer::translate {

/// What `inner` throws comes out of a later write() or of close(). Without a thread to be had, `inner` itself.
std::unique_ptr<LocationWriter> make_pipelined(std::unique_ptr<LocationWriter> inner);

}  // namespace tracer::translate
