// SPDX-License-Identifier: BSD-3-Clause
// Says what ITT's own header has words for, with ITT's own static part linked in, and prints what it said (said.py).
#include <pthread.h>
#include <stdio.h>

#include <ittnotify.h>

static __itt_domain* domain;

static void* in_a_thread(void* name) {
  __itt_thread_set_name("itt thread");
  __itt_task_begin(domain, __itt_null, __itt_null, name);
  __itt_task_end(domain);
  return NULL;
}

static void tasks(void) {
  __itt_string_handle *task = __itt_string_handle_create("task"), *region = __itt_string_handle_create("region"),
                      *crossing = __itt_string_handle_create("overlapped"), *key = __itt_string_handle_create("key");
  static char object;
  const __itt_id first = __itt_id_make(&object, 1), second = __itt_id_make(&object, 2);
  __itt_id_create(domain, first);
  __itt_region_begin(domain, first, __itt_null, region);
  for (int i = 0; i < 5; ++i) {
    double value = i / 2.0;
    __itt_task_begin(domain, __itt_null, __itt_null, task);
    __itt_metadata_add(domain, __itt_null, key, __itt_metadata_double, 1, &value);
    __itt_metadata_str_add(domain, __itt_null, __itt_string_handle_create("text key"), "word", 0);
    __itt_marker(domain, __itt_null, __itt_string_handle_create("marker"), __itt_scope_task);
    __itt_task_end(domain);
  }
  __itt_region_end(domain, first);
  __itt_task_begin_overlapped(domain, first, __itt_null, crossing);
  __itt_task_begin_overlapped(domain, second, __itt_null, crossing);
  __itt_task_end_overlapped(domain, first);
  __itt_task_end_overlapped(domain, second);
  pthread_t thread;
  if (pthread_create(&thread, NULL, in_a_thread, task) == 0) pthread_join(thread, NULL);
  puts("range task 6\nrange region 1\nrange overlapped 2\nrange marker 5\nrange key 5\nrange text key 5");
  puts("attribute key|PAYLOAD_REAL 2.0\nattribute text key|PAYLOAD_TEXT word\nthread itt thread 1");
}

static void counters(void) {
  __itt_counter plain = __itt_counter_create("plain", "counted");
  __itt_counter real = __itt_counter_create_typed("real", "counted", __itt_metadata_double);
  __itt_string_handle* named = __itt_string_handle_create("named");
  for (int i = 0; i < 3; ++i) {
    double value = -i / 4.0;
    __itt_counter_inc_delta(plain, 10);
    __itt_counter_set_value(real, &value);
    __itt_counter_inc_v3(domain, named);
  }
  __itt_counter_dec(plain);
  puts("counter plain 4\nlast plain 29\nlast real -0.5\ncounter named 3\nlast named 3");
}

int main(void) {
  domain = __itt_domain_create("original");
  tasks();
  counters();
  const __itt_event event = __itt_event_create("event", 5);
  __itt_event_start(event);
  __itt_event_end(event);
  puts("range event 1");
  return 0;
}
