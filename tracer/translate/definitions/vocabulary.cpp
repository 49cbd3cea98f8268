// SPDX-License-Identifier: BSD-3-Clause
// Which attributes and parameters a kind of record calls for.
#include "tracer/translate/definitions/vocabulary.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "tracer/base/text.hpp"
#include "tracer/translate/definitions/defined_strings.hpp"

namespace tracer::translate {
namespace {

using K = RecordKind;

struct AttributeRow {
  Attribute attribute;
  const char* name;
  const char* description;
  ValueType type;
  std::array<K, 5> used_by;  ///< kinds that call for it; invalid: no more
};

// clang-format off
constexpr std::array<AttributeRow, static_cast<std::size_t>(Attribute::count_)> attribute_rows{{
    {Attribute::process_id, "ProcessId", "process id of the operating system", ValueType::uint64, {K::count_}},
    {Attribute::thread_id, "ThreadId", "thread id of the operating system", ValueType::uint64, {K::parallel_begin}},
    {Attribute::task_id, "TASK_ID", "unique id of the task", ValueType::uint64, {K::task_create, K::cancel}},
    {Attribute::parent_task_id, "PARENT_TASK_ID", "unique id of the task that created it", ValueType::uint64, {K::task_create}},
    {Attribute::task_flags, "TASK_FLAGS", "ompt_task_flag_t: explicit 4, target 8, taskwait 0x10, importing 0x2000000, exporting 0x4000000, undeferred 0x8000000, untied 0x10000000, final 0x20000000, mergeable 0x40000000, merged 0x80000000", ValueType::uint64, {K::task_create}},
    {Attribute::source_task_id, "SOURCE_TASK_ID", "the task that must complete first", ValueType::uint64, {K::task_dependence}},
    {Attribute::sink_task_id, "SINK_TASK_ID", "the task that depends on it", ValueType::uint64, {K::task_dependence}},
    {Attribute::wait_id, "WAIT_ID", "the runtime's wait id of the lock", ValueType::uint64, {K::lock_init, K::lock_destroy}},
    {Attribute::mutex_implementation, "MUTEX_IMPLEMENTATION", "see the archive property TRACER::MUTEX_IMPLEMENTATIONS", ValueType::uint64, {K::lock_init}},
    {Attribute::mutex_hint, "MUTEX_HINT", "omp_sync_hint_t", ValueType::uint64, {K::lock_init}},
    {Attribute::cancel_flags, "CANCEL_FLAGS", "ompt_cancel_flag_t: parallel 1, sections 2, loop 4, taskgroup 8, activated 0x10, detected 0x20, discarded task 0x40", ValueType::uint64, {K::cancel}},
    {Attribute::severity, "SEVERITY", "ompt_severity_t: warning 1, fatal 2", ValueType::uint64, {K::error}},
    {Attribute::message, "MESSAGE", "the error directive's text", ValueType::string, {K::error}},
    {Attribute::control_command, "CONTROL_COMMAND", "omp_control_tool's command", ValueType::uint64, {K::control_tool}},
    {Attribute::control_modifier, "CONTROL_MODIFIER", "low 16 bits of omp_control_tool's modifier", ValueType::uint64, {K::control_tool}},
    {Attribute::device, "DEVICE", "device number of the target construct", ValueType::int64, {K::target}},
    {Attribute::target_id, "TARGET_ID", "unique id of the target construct", ValueType::uint64, {K::target, K::target_data_op, K::target_submit, K::target_map}},
    {Attribute::host_op_id, "HOST_OP_ID", "unique id of the operation on the device", ValueType::uint64, {K::target_data_op, K::target_submit}},
    {Attribute::data_bytes, "ALLOCATION_SIZE", "bytes allocated, freed, moved or mapped", ValueType::uint64, {K::target_data_op, K::target_map}},
    {Attribute::source_device, "SOURCE_DEVICE", "device number", ValueType::int64, {K::target_data_op}},
    {Attribute::source_address, "SOURCE_ADDRESS", "address on the source device, or on the host", ValueType::uint64, {K::target_data_op, K::target_map}},
    {Attribute::destination_device, "DESTINATION_DEVICE", "device number", ValueType::int64, {K::target_data_op}},
    {Attribute::destination_address, "DESTINATION_ADDRESS", "address on the destination device", ValueType::uint64, {K::target_data_op, K::target_map}},
    {Attribute::map_flags, "MAP_FLAGS", "ompt_target_map_flag_t: to 1, from 2, alloc 4, release 8, delete 16, implicit 32, always 64, present 128, close 256, shared 512", ValueType::uint64, {K::target_map}},
    {Attribute::lost_events, "EVENTS_LOST", "number of records dropped here", ValueType::uint64, {K::lost}},
    {Attribute::category, "CATEGORY", "the category that the program gave the range or mark", ValueType::string, {K::range_push, K::range_start, K::range_mark}},
    {Attribute::color, "COLOR", "the colour that the program gave it: 0xAARRGGBB", ValueType::uint64, {K::range_push, K::range_start, K::range_mark}},
    {Attribute::payload, "PAYLOAD", "the number that the program gave it", ValueType::uint64, {K::range_push, K::range_start, K::range_mark}},
    {Attribute::payload_signed, "PAYLOAD_SIGNED", "the signed number that the program gave it", ValueType::int64, {K::range_push, K::range_start, K::range_mark}},
    {Attribute::payload_real, "PAYLOAD_REAL", "the number that the program gave it, no integer", ValueType::float64, {K::range_push, K::range_start, K::range_mark}},
    {Attribute::payload_text, "PAYLOAD_TEXT", "the text that the program gave it", ValueType::string, {K::range_push, K::range_start, K::range_mark}},
    {Attribute::correlation, "CORRELATION_ID", "the provider's id of the operation", ValueType::uint64, {}},
}};
struct ParameterRow {
  Parameter parameter;
  const char* name;
  EventType type;
  std::array<K, 2> used_by;
};
constexpr std::array<ParameterRow, static_cast<std::size_t>(Parameter::count_)> parameter_rows{{
    {Parameter::schedule, "schedule", EventType::parameter_string, {K::work}},
    {Parameter::iterations, "iterations", EventType::parameter_uint, {K::work}},
    {Parameter::chunks, "chunks", EventType::parameter_uint, {K::work}},
    {Parameter::first_iteration, "first iteration", EventType::parameter_uint, {K::dispatch}},
    {Parameter::chunk_size, "chunk size", EventType::parameter_uint, {K::dispatch}},
    {Parameter::target_type, "target type", EventType::parameter_string, {K::target}},
    {Parameter::callsite_id, "callsite id", EventType::parameter_uint, {K::target_submit}},
    {Parameter::teams_requested, "teams requested", EventType::parameter_uint, {K::target_submit}},
    {Parameter::content_hash, "content hash", EventType::parameter_uint, {K::target_data_op}},
}};
// clang-format on

std::array<std::uint64_t, 256> kinds_of(const Tables& tables) {
  std::array<std::uint64_t, 256> total{};
  for (const ChannelScan& scan : tables.channels)
    for (std::size_t k = 0; k < scan.kinds.size(); ++k) total[k] += scan.kinds[k];
  return total;
}

bool loops_are_there(const Tables& tables) {
  return std::any_of(tables.channels.begin(), tables.channels.end(),
                     [](const ChannelScan& s) { return s.work_types != 0; });
}

void define_strings(Vocabulary& v, const Tables& tables, const Journal& journal, DefinedStrings& strings) {
  std::uint64_t works = 0, targets = 0;
  for (const ChannelScan& scan : tables.channels) works |= scan.work_types, targets |= scan.target_types;
  for (std::uint16_t t = 0; t < 16; ++t)
    if ((works >> t & 1) && schedule_name(t)) v.schedules[t] = strings.ref_of(schedule_name(t));
  static const char* const target_names[16] = {"unknown",
                                               "target",
                                               "target enter data",
                                               "target exit data",
                                               "target update",
                                               "unknown",
                                               "unknown",
                                               "unknown",
                                               "unknown",
                                               "target nowait",
                                               "target enter data nowait",
                                               "target exit data nowait",
                                               "target update nowait",
                                               "unknown",
                                               "unknown",
                                               "unknown"};
  for (std::size_t t = 0; t < 16; ++t)
    if (targets >> t & 1) v.target_types[t] = strings.ref_of(target_names[t]);
  v.program = strings.ref_of(journal.run.program);
  for (const ChannelScan& scan : tables.channels)
    for (const std::uint32_t id : scan.messages)
      if (const auto text = journal.strings.find(id); text != journal.strings.end())
        v.messages[id] = strings.ref_of(text->second);
}

// "#aarrggbb category", either part may be missing.
WordDetails parse_details(const std::string& text, DefinedStrings& strings) {
  WordDetails details;
  std::size_t at = 0;
  if (text.size() >= 9 && text[0] == '#') {
    details.color = static_cast<std::uint32_t>(std::strtoul(text.substr(1, 8).c_str(), nullptr, 16));
    details.has_color = true;
    at = 9;
  }
  if (at < text.size() && text[at] == ' ') details.category = strings.ref_of(shown(text.substr(at + 1)));
  return details;
}

void define_words(Vocabulary& v, const Tables& tables, const Journal& journal, DefinedStrings& strings,
                  Definitions& d) {
  const auto text_of = [&journal](std::uint64_t id) {
    const auto text = journal.strings.find(static_cast<std::uint32_t>(id));
    return text != journal.strings.end() ? text->second : std::string{};
  };
  for (const ChannelScan& scan : tables.channels) {
    for (const std::uint32_t id : scan.words.details)
      if (!v.word_details.contains(id)) v.word_details[id] = parse_details(text_of(id), strings);
    for (const std::uint32_t id : scan.words.texts)
      if (!v.word_texts.contains(id)) v.word_texts[id] = strings.ref_of(shown(text_of(id)));
    for (const CounterKey& counter : scan.words.counters) {
      if (v.counters.contains(counter)) continue;
      const std::string domain = shown(text_of(counter.name >> 32));
      std::string description = language_name(counter.sub & 0xf);
      if (!domain.empty() && domain != description) description += " " + domain;
      v.counters[counter] = static_cast<std::uint32_t>(d.metrics.size());
      const std::string name = shown(text_of(counter.name & 0xffffffff));
      d.metrics.push_back({name.empty() ? "counter" : name, description,
                           counter.unit != 0 ? shown(text_of(counter.unit)) : "#", undefined_ref, undefined_ref,
                           type_of(counter)});
    }
  }
}

}  // namespace

ValueType type_of(const CounterKey& counter) noexcept {
  const WordPayload type = word_payload(counter.sub);
  return type == WordPayload::real             ? ValueType::float64
         : type == WordPayload::signed_integer ? ValueType::int64
                                               : ValueType::uint64;
}

std::string dependence_name(std::uint16_t type) {
  switch (type) {
    case 1:
      return "IN";
    case 2:
      return "OUT";
    case 3:
      return "INOUT";
    case 4:
      return "MUTEXINOUTSET";
    case 5:
      return "SOURCE";
    case 6:
      return "SINK";
    case 7:
      return "INOUTSET";
    case 34:
      return "OUT_ALL_MEMORY";
    case 35:
      return "INOUT_ALL_MEMORY";
    default:
      return "TYPE_" + std::to_string(type);
  }
}

Vocabulary make_vocabulary(const Tables& tables, const Journal& journal, Definitions& d) {
  Vocabulary v;
  if (d.strings.empty()) d.strings.emplace_back();
  const auto kinds = kinds_of(tables);
  for (const AttributeRow& row : attribute_rows) {
    bool used = std::any_of(row.used_by.begin(), row.used_by.end(), [&](K k) {
      if (k == K::count_) return true;
      if (k == K::control_tool)
        return std::any_of(tables.channels.begin(), tables.channels.end(), [](auto& s) { return s.other_commands; });
      return k != K::invalid && kinds[static_cast<std::size_t>(k)] > 0;
    });
    if (row.attribute == Attribute::correlation)
      used = std::any_of(tables.channels.begin(), tables.channels.end(), [](auto& s) { return s.words.correlates; });
    auto& ref = v.attributes[static_cast<std::size_t>(row.attribute)];
    ref = used ? static_cast<std::uint32_t>(d.attributes.size()) : undefined_ref;
    if (used) d.attributes.push_back({row.name, row.description, row.type});
  }
  for (const ParameterRow& row : parameter_rows) {
    bool used = std::any_of(row.used_by.begin(), row.used_by.end(),
                            [&](K k) { return k != K::invalid && kinds[static_cast<std::size_t>(k)] > 0; });
    if (row.used_by[0] == K::work) used = loops_are_there(tables);
    if (row.parameter == Parameter::chunks)
      used = std::any_of(tables.channels.begin(), tables.channels.end(), [](auto& s) { return s.counts_chunks; });
    if (row.parameter == Parameter::content_hash)
      used = std::any_of(tables.channels.begin(), tables.channels.end(), [](auto& s) { return s.has_content; });
    if (row.used_by[0] == K::dispatch)
      used = std::any_of(tables.channels.begin(), tables.channels.end(), [](auto& s) { return s.chunks; });
    auto& ref = v.parameters[static_cast<std::size_t>(row.parameter)];
    ref = used ? static_cast<std::uint32_t>(d.parameters.size()) : undefined_ref;
    if (used) d.parameters.push_back({row.name, row.type});
  }
  std::vector<const std::vector<std::uint32_t>*> dependences;
  for (const ChannelScan& scan : tables.channels)
    if (!scan.dependence_types.empty()) dependences.push_back(&scan.dependence_types);
  for (std::uint16_t type = 0; type < 256; ++type) {
    std::uint32_t most = 0;
    for (const auto* types : dependences) most = std::max(most, (*types)[type]);
    for (std::uint32_t n = 1; n <= std::min<std::uint32_t>(most, 200); ++n) {
      v.dependences[type].push_back(static_cast<std::uint32_t>(d.attributes.size()));
      d.attributes.push_back({"DEPEND_" + dependence_name(type) + (n == 1 ? "" : "_" + std::to_string(n)),
                              "address or value of the task's dependence", ValueType::uint64});
    }
  }
  DefinedStrings strings(d.strings);
  define_strings(v, tables, journal, strings);
  define_words(v, tables, journal, strings, d);
  return v;
}

}  // namespace tracer::translate
