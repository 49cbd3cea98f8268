// SPDX-License-Identifier: BSD-3-Clause
// See annotation_events.hpp.
#include "tracer/translate/write/annotation_events.hpp"

#include <algorithm>
#include <iterator>

#include "tracer/translate/write/annotation_attributes.hpp"

namespace tracer::translate {
namespace {

/// Each domain of a language has a stack of its own on each thread.
std::uint64_t stack_of(const Record& r) noexcept {
  return (r.b & 0xffffffff) | std::uint64_t{word_language(r)} << 32;
}

}  // namespace

void AnnotationEvents::word(const Record& r, Nanoseconds t) {
  switch (r.kind) {
    case RecordKind::range_push:
      return push(r, t);
    case RecordKind::range_pop:
      return pop(r, t);
    case RecordKind::range_mark:
      attributes(r);
      return regions_.pass(t, word_key(r));
    case RecordKind::range_counter:
      return count(r, t);
    default:
      return;  // what may end anywhere has locations of its own
  }
}

void AnnotationEvents::attributes(const Record& r) {
  add_word_attributes(context_.out, context_.names, static_cast<std::uint32_t>(r.b >> 32), r.sub, r.c);
}

void AnnotationEvents::push(const Record& r, Nanoseconds t) {
  const std::uint64_t number = pushes_++;
  ranges_.push_back({number, stack_of(r), r});
  if (is_stray(number)) return;
  attributes(r);
  const RegionRef region = regions_.region_of(word_key(r));
  context_.out.enter(t, region);
  nest_.current->open.push({region, Construct::range, false, number});
}

/// What a task's regions stand in when it has no team of its own and no events: what it began in.
TaskState* AnnotationEvents::around(const TaskState* task) noexcept {
  for (auto part = nest_.parts.rbegin(); part != nest_.parts.rend(); ++part) {
    if (&part->task != task) continue;
    return part->parallel == nullptr || part->parallel->comm == undefined_ref ? part->outer : nullptr;
  }
  return nullptr;
}

void AnnotationEvents::pop(const Record& r, Nanoseconds t) {
  const std::uint64_t stack = stack_of(r);
  const auto last =
      std::find_if(ranges_.rbegin(), ranges_.rend(), [stack](const OpenRange& open) { return open.stack == stack; });
  if (last == ranges_.rend()) return context_.note(Repair::range_end_without_begin);
  const OpenRange range = *last;
  ranges_.erase(std::next(last).base());
  if (is_stray(range.number)) return;
  for (TaskState* task = nest_.current; task != nullptr; task = around(task)) {
    RegionStack& open = task->open;
    while (!open.empty() && is_stray(open.inner()))
      open.pop();  // of a first writing: entered, and found to be a stray since
    if (open.empty()) continue;
    if (open.inner_construct() != Construct::range || open.inner().codeptr != range.number) break;
    context_.out.leave(t, open.inner().region);
    return open.pop();
  }
  if (found_ == nullptr) return;
  if (strays_.size() <= range.number) strays_.resize(range.number + 1);
  strays_[range.number] = true;
  found_->push_back({range.number, range.push, r.time});
}

void AnnotationEvents::count(const Record& r, Nanoseconds t) {
  const CounterKey key = counter_key(r);
  if (const auto metric = context_.names.counters.find(key); metric != context_.names.counters.end())
    context_.out.add(t, EventType::metric_uint, metric->second, r.c, 0, static_cast<std::uint16_t>(type_of(key)));
}

}  // namespace tracer::translate
