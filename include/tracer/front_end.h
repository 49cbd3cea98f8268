/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface by which a library beside libtracer.so records into its trace: a table of functions, in C.
 *
 * Front ends are small libraries that record APIs other than OpenMP (annotations, MPI) and link only the C library.
 * They find libtracer.so and call tracer_connect(), which begins the trace unless it has begun: the OpenMP runtime
 * joins a trace that a front end began, and vice versa. The trace then lasts until the process ends. */
#ifndef TRACER_FRONT_END_H
#define TRACER_FRONT_END_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Increases when a function of the table changes its meaning. New functions come at the table's end: check `size`. */
#define TRACER_FRONT_END_VERSION 1u

/* The first word of a record: RecordKind (include/tracer/record.hpp), Endpoint and the field `sub`.
 * include/tracer/record_table.hpp describes `sub`, a, b and c for each kind. */
#define TRACER_WORD(kind, endpoint, sub) \
  ((uint32_t)((uint32_t)(kind) | (uint32_t)(endpoint) << 8 | (uint32_t)(uint16_t)(sub) << 16))

/* The second half of a long record: RecordKind::more, whose `time` contains payload. */
struct tracer_more {
  uint64_t time;
  uint64_t b;
  uint64_t c;
  uint32_t a;
  uint16_t sub;
};

/* Where a thread's records are put, for front ends whose calls are so short that a call of emit() counts: behind a
 * system call its target is not predicted. NULL while there is none, or the clock is not the processor's counter: then
 * emit() is to be called. To record on the calling thread, with the counter's value as `time`:
 *   if (*head + 1 > limit) emit(...);                other threads write `limit`, too
 *   records[4 * (*head & mask)] = time, word | (uint64_t)a << 32, b, c;
 *   *head += 1;                                      with release order; several records become visible at once
 * An id of its own: channel << 40 | ++counter. */
struct tracer_lane {
  uint64_t* records;
  uint64_t mask;
  uint64_t limit;
  uint64_t* head;
  void* of_reader;
  uint64_t counter;
  uint32_t channel;
};

/* Any thread may call any function at any time until the process ends, also in forked children, also after the end of
 * recording: then they do nothing. None throws, none changes errno. The table is never freed. */
struct tracer_front_end {
  uint32_t version; /* TRACER_FRONT_END_VERSION of the library */
  uint32_t size;    /* bytes of this table */

  /* Records on the calling thread, with the current time. After a thread's first record it takes no lock, allocates
   * nothing and makes no system call, except at a full ring (TRACER_ON_FULL). `word`: TRACER_WORD. */
  void (*emit)(uint32_t word, uint32_t a, uint64_t b, uint64_t c);
  /* The same with a second half; records both or neither. `time` as for emit_at, 0: the current time. */
  void (*emit_more)(uint64_t time, uint32_t word, uint32_t a, uint64_t b, uint64_t c, const struct tracer_more* more);
  /* The same with a time from now() on this thread: the records of a thread must be in order of time. */
  void (*emit_at)(uint64_t time, uint32_t word, uint32_t a, uint64_t b, uint64_t c);
  /* The recording clock, in its own ticks (the processor's counter where it is reliable). 8 ns. */
  uint64_t (*now)(void);

  /* The id of a text, from 1, for fields with string ids; equal for equal bytes until the process ends, also in forked
   * children. Copies at most 64 KiB; the text need not be UTF-8. 0: not stored. May lock, allocate and write: call it
   * at registration and first uses, not for each event. */
  uint32_t (*intern)(const char* text, size_t length);

  /* One line for the user on standard error (TRACER_LOG), and in the trace. */
  void (*message)(const char* line);
  /* Adds to a counter of the trace: the archive's property TRACER::COUNTER::<NAME>, written at the end. May lock. */
  void (*count)(const char* name, uint64_t amount);
  /* A fact of the process: the archive's property TRACER::<NAME>; the last value is kept. May lock and write. */
  void (*fact)(const char* name, const char* value);

  /* `function` runs once on the thread that ends the trace, before the last records are collected: it may record. It
   * does not run in forked children. 0: registered too late, or no memory. */
  int (*at_end)(void (*function)(void* data), void* data);

  /* Whether records made now will be in the trace. A load. */
  int (*recording)(void);
  /* The absolute path of the archive; "" without a trace (a forked child may have none yet). Valid until the process
   * ends. */
  const char* (*directory)(void);

  /* The clocks of the `size` processes of this launch, if there are several: clocks[rank] is equal for processes with
   * the same clock. 1: all processes get this answer, so that all are ready to compare their clocks; once all have it,
   * a call with `size` 0 allows the next program of the launch to call this. 0: nothing to compare, or not all take
   * part. May wait, at most two seconds and only if the launch has several hosts: once, at the begin. */
  int (*clocks_of_launch)(uint32_t rank, uint32_t size, uint64_t* clocks);

  /* Whether to record MPI calls that test and find nothing (TRACER_RECORD, group polls). Constant until the process
   * ends. */
  int (*records_polls)(void);

  /* libtracer.so's handler of an OMPT event, for a front end that interposes an OpenMP runtime without a tools
   * interface: `event` is an ompt_callbacks_t, the result the handler with that callback's signature. NULL: the event
   * is excluded (TRACER_RECORD), or the number is unknown. Constant until the process ends. */
  void (*(*ompt_handler)(int event))(void);
  /* Replaces the handler of thread_begin, which queries the runtime about the thread: `type` is an ompt_thread_t. */
  void (*ompt_thread_begin)(uint32_t type);

  /* A construct's place in the code, before it is recorded: its library is looked at before it can be closed. Places
   * in the program's own file need not be passed. */
  void (*see_place)(uint64_t place);
  /* A new id of a region or task (include/tracer/ids.hpp); 0: nothing is recorded. */
  uint64_t (*new_id)(void);
  /* Bytes from a thread's pointer (fs of x86-64, tpidr_el0 of AArch64) to a `struct tracer_lane*`: the same on all
   * threads until the process ends. */
  ptrdiff_t (*lane)(void);
  /* Whether each chunk that a loop hands out is to be recorded (TRACER_RECORD, group chunks). The same until the
   * process ends. */
  int (*records_chunks)(void);
  /* Before the process calls _exit: writes what would be lost with its memory (samples). Records are safe without it.
   * May write, and wait for a tenth of a second. */
  void (*save)(void);
};

/* Begins the trace, or joins it. NULL: there is nothing to record (TRACER=off, a set-user-id program, no place for the
 * trace, the trace has ended, or an unknown version), and further calls return NULL too. May lock, allocate and write,
 * and starts a thread: call it at the first event, not when the library is loaded. libtracer.so exports it; front ends
 * find it by connect.h. */
const struct tracer_front_end* tracer_connect(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
