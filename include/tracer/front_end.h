/* SPDX-License-Identifier: BSD-3-Clause */
/* How a library beside libtracer.so records into its trace: a table of functions, in C.
 *
 * Front ends are small libraries that listen to something other than OpenMP (the program's own words, MPI) and link
 * nothing but the C library. They find libtracer.so and call tracer_connect(), which begins the trace unless it has
 * begun: OpenMP's runtime joins a trace that a front end began, and the other way round. The trace then lasts until the
 * process ends. */
#ifndef TRACER_FRONT_END_H
#define TRACER_FRONT_END_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function of the table changes its meaning. New functions are added at the table's end: look at `size`.
 */
#define TRACER_FRONT_END_VERSION 1u

/* The first word of a record: RecordKind (include/tracer/record.hpp), Endpoint and the field `sub`; what `sub`, a, b
 * and c mean is said per kind in include/tracer/record_table.hpp. */
#define TRACER_WORD(kind, endpoint, sub) \
  ((uint32_t)((uint32_t)(kind) | (uint32_t)(endpoint) << 8 | (uint32_t)(uint16_t)(sub) << 16))

/* The second half of a record that has more to say: RecordKind::more, whose `time` carries payload. */
struct tracer_more {
  uint64_t time;
  uint64_t b;
  uint64_t c;
  uint32_t a;
  uint16_t sub;
};

/* All functions may be called by any thread at any time until the process ends, also in forked children, also when
 * recording has ended: then they do nothing. None throws, none changes errno. The table is never freed. */
struct tracer_front_end {
  uint32_t version; /* TRACER_FRONT_END_VERSION of the library */
  uint32_t size;    /* bytes of this table */

  /* Records on the calling thread, at this moment: the clock is read inside. After a thread's first record there is no
   * lock, no allocation and no system call; a full ring waits as TRACER_ON_FULL says. `word`: TRACER_WORD. */
  void (*emit)(uint32_t word, uint32_t a, uint64_t b, uint64_t c);
  /* The same with a second half; both are kept or neither. `time` as for emit_at, 0: now. */
  void (*emit_more)(uint64_t time, uint32_t word, uint32_t a, uint64_t b, uint64_t c, const struct tracer_more* more);
  /* The same at a time that now() gave on this thread: records of a thread must follow each other in time. */
  void (*emit_at)(uint64_t time, uint32_t word, uint32_t a, uint64_t b, uint64_t c);
  /* The recording clock, in ticks of its own (the processor's counter where it can be trusted). 8 ns. */
  uint64_t (*now)(void);

  /* The number of a text, from 1, for fields that name one; the same for the same bytes until the process ends, also in
   * forked children. At most 64 KiB are kept; the text is copied; it need not be UTF-8. 0: it could not be kept. May
   * lock, allocate and write: for registration and first uses, not for each event. */
  uint32_t (*intern)(const char* text, size_t length);

  /* One line for the user on standard error (TRACER_LOG), and in the trace. */
  void (*message)(const char* line);
  /* Adds to a counter of the trace: the archive's property TRACER::COUNTER::<NAME>, written at the end. May lock. */
  void (*count)(const char* name, uint64_t amount);
  /* Something to know about the process: the archive's property TRACER::<NAME>; the last value counts. May lock and
   * write. */
  void (*fact)(const char* name, const char* value);

  /* `function` runs once on the thread that ends the trace, before the last records are collected: it may record. Not
   * in forked children. 0: recorded too late, or no memory. */
  int (*at_end)(void (*function)(void* data), void* data);

  /* Whether what is recorded now will be in the trace. A load. */
  int (*recording)(void);
  /* Where the archive will be, an absolute path; "" when there is no trace (yet: a forked child). Valid until the
   * process ends. */
  const char* (*directory)(void);

  /* Which clock each of the `size` processes of this launch has, where there are several: clocks[rank] is equal where
   * the clock is the same one. 1: all processes get this answer, so that all are there to compare their clocks; when
   * they are known to have it, `size` 0 lets the next program of the launch ask. 0: there is nothing to compare, or not
   * all take part. May wait, at most two seconds and only where the launch has several hosts: once, at the begin. */
  int (*clocks_of_launch)(uint32_t rank, uint32_t size, uint64_t* clocks);

  /* Whether calls of MPI that ask and find nothing are to be recorded (TRACER_RECORD, group polls). The same until the
   * process ends. */
  int (*records_polls)(void);

  /* What libtracer.so does at an event of OMPT, for a front end that stands before an OpenMP runtime without tools:
   * `event` is an ompt_callbacks_t, the result the handler with that callback's signature. NULL: the event is not to be
   * recorded (TRACER_RECORD), or there is none of that number. The same until the process ends. */
  void (*(*ompt_handler)(int event))(void);
  /* Instead of the handler of thread_begin, which asks the runtime about the thread: `type` is an ompt_thread_t. */
  void (*ompt_thread_begin)(uint32_t type);

  /* As emit, for the first record of a construct: c is its place in the code, whose library is looked at before it can
   * be closed. 0 is no place. */
  void (*emit_place)(uint32_t word, uint32_t a, uint64_t b, uint64_t c);
  /* Two records of one moment, with the same b and c, and a = 0; c as for emit_place. The result: a time for emit_at of
   * what follows at once. */
  uint64_t (*emit_pair)(uint32_t first, uint32_t second, uint64_t b, uint64_t c);
  /* What gets an id of libtracer.so's, which is the result; 0: nothing is recorded. `sub` as in the record's word.
   * A region: `flags`, how many threads it asks for, its place. A member of a region's team: its number, the team's size,
   * the region. An explicit task: `flags` in 16 bits, whether it has dependences, who creates it, its place. */
  uint64_t (*emit_region)(uint16_t sub, uint32_t threads, uint64_t place);
  uint64_t (*emit_member)(uint16_t sub, uint32_t team, uint64_t region);
  uint64_t (*emit_task)(uint16_t sub, int depends, uint64_t creator, uint64_t place);
  /* A member's part of a team ends, at one moment: the wait in the barrier behind the region and that barrier, the
   * implicit task, and the region where it is the member that began it. `number` and `task`: the member's; `region`: 0, or
   * the region's id, with its `sub`; `place`: the region's, 0 for the other members. */
  void (*emit_part_end)(uint16_t number, uint16_t sub, uint64_t task, uint64_t region, uint64_t place);
  /* Whether each chunk that a loop hands out is to be recorded (TRACER_RECORD, group chunks). The same until the
   * process ends. */
  int (*records_chunks)(void);
};

/* Begins the trace, or joins it. NULL: nothing is to be recorded (TRACER=off, a set-user-id program, no place for the
 * trace, the trace has ended, or a version that this library does not know), and asking again changes nothing. May
 * lock, allocate and write, begins a thread: call it at the first event, not when the library is loaded. Exported by
 * libtracer.so; a front end finds it by connect.h. */
const struct tracer_front_end* tracer_connect(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
