// SPDX-License-Identifier: BSD-3-Clause
// The attributes, parameters and strings that the events of this trace use, numbered densely:
// what no record of the trace calls for is not defined.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "tracer/definitions.hpp"
#include "tracer/journal.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

enum class Attribute : std::uint8_t {
  process_id,
  thread_id,
  task_id,
  parent_task_id,
  task_flags,
  source_task_id,
  sink_task_id,
  wait_id,
  mutex_implementation,
  mutex_hint,
  cancel_flags,
  severity,
  message,
  control_command,
  control_modifier,
  device,
  target_id,
  host_op_id,
  data_bytes,
  source_device,
  source_address,
  destination_device,
  destination_address,
  map_flags,
  lost_events,
  category,
  color,
  payload,
  payload_signed,
  payload_real,
  payload_text,
  correlation,
  count_,
};

enum class Parameter : std::uint8_t {
  schedule,
  iterations,
  chunks,
  first_iteration,
  chunk_size,
  target_type,
  callsite_id,
  teams_requested,
  content_hash,
  count_
};

/// Of an annotation: its details.
struct WordDetails {
  std::uint32_t category = undefined_ref;  ///< string
  std::uint32_t color = 0;                 ///< ARGB
  bool has_color = false;
};

struct Vocabulary {
  std::array<std::uint32_t, static_cast<std::size_t>(Attribute::count_)> attributes{};
  std::array<std::uint32_t, static_cast<std::size_t>(Parameter::count_)> parameters{};
  std::array<std::vector<std::uint32_t>, 256> dependences{};  ///< attribute of the n-th dependence of a type
  std::array<std::uint32_t, 16> schedules{};                  ///< string by ompt_work_t
  std::array<std::uint32_t, 16> target_types{};               ///< string by ompt_target_t
  std::uint32_t program = 0;                                  ///< string
  std::map<std::uint32_t, std::uint32_t> messages;            ///< journal string id -> string

  std::map<std::uint32_t, WordDetails> word_details;            ///< by journal string
  std::unordered_map<std::uint32_t, std::uint32_t> word_texts;  ///< journal string id -> string
  std::map<CounterKey, std::uint32_t> counters;                 ///< metric

  std::uint32_t operator[](Attribute a) const noexcept { return attributes[static_cast<std::size_t>(a)]; }
  std::uint32_t operator[](Parameter p) const noexcept { return parameters[static_cast<std::size_t>(p)]; }
};

/// Of a counter's values.
ValueType type_of(const CounterKey& counter) noexcept;

/// "in", "out", ... of ompt_dependence_type_t; "type_<n>" for unknown ones.
std::string dependence_name(std::uint16_t type);

/// Defines what will be used according to the tables.
Vocabulary make_vocabulary(const Tables& tables, const Journal& journal, Definitions& definitions);

}  // namespace tracer::translate
