// SPDX-License-Identifier: BSD-3-Clause
// Walks the callback table and keeps what the runtime answered.
#include "tracer/ompt/registration.hpp"

#include "tracer/ompt/context.hpp"

#include <algorithm>

#include "tracer/ompt/callback_table.hpp"

namespace tracer::ompt {
namespace {

constexpr int not_asked = -1;

/// Whether the runtime will call the handler at least sometimes.
bool is_delivered(int result) noexcept {
  return result >= ompt_set_sometimes;
}

/// Whether the runtime has the event: an answer of never is one, too.
bool is_refused(int result) noexcept {
  return result == not_asked || result == ompt_set_error;
}

/// What handlers leave out, though they are called.
void choose_details(std::uint32_t record) noexcept {
  context().marks = (record & record_control) != 0;
  context().sections = (record & record_dispatch) != 0;
  context().chunks = (record & record_chunks) != 0;
}

int answer_of(const std::vector<CallbackAnswer>& answers, int event) {
  const auto found = std::find_if(answers.begin(), answers.end(), [event](const CallbackAnswer& answer) {
    return answer.callback == static_cast<unsigned>(event);
  });
  return found == answers.end() ? not_asked : found->result;
}

}  // namespace

ompt_callback_t handler_of(int event, std::uint32_t record) noexcept {
  choose_details(record);
  const auto row = std::find_if(callback_table.begin(), callback_table.end(),
                                [event](const CallbackRow& r) { return static_cast<int>(r.event) == event; });
  if (row == callback_table.end() || (row->group != always && (row->group & record) == 0)) return nullptr;
  return row->handler();
}

Registration register_callbacks(ompt_set_callback_t set_callback, std::uint32_t record, bool without_error_fault) {
  choose_details(record);
  Registration registration;
  for (const CallbackRow& row : callback_table) {
    CallbackAnswer answer{.name = std::string(row.name), .callback = static_cast<std::uint32_t>(row.event), .note = ""};
    if (row.group != always && (row.group & record) == 0) {
      answer.note = "switched off";
    } else if (row.event == ompt_callback_error && !without_error_fault && (record & record_error) == 0) {
      answer.note = "this runtime crashes at an error directive without a message; TRACER_RECORD=+error";
    } else if (row.instead_of != 0 && !is_refused(answer_of(registration.answers, row.instead_of))) {
      answer.note = "the EMI callback is there";
    } else {
      answer.result = set_callback(row.event, row.handler());
      if (row.importance == Importance::essential && !is_delivered(answer.result)) {
        registration.missing += (registration.missing.empty() ? "" : ", ") + answer.name;
      }
    }
    if (row.event == ompt_callback_target_submit || row.event == ompt_callback_target_submit_emi) {
      registration.target_events |= is_delivered(answer.result);
    }
    registration.answers.push_back(std::move(answer));
  }
  return registration;
}

}  // namespace tracer::ompt
