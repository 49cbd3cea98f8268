/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the counter share. Each wrapper finds the function behind it by itself; what MPI calls inside one
 * of its functions is not counted (depth). */
#pragma once
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern pthread_mutex_t counter_lock;
extern __thread int depth;

/* One more of `key`, and what to add to its sums. */
void add(const char* key, long a, long b);
/* The function of this name behind the counter. */
int (*next_of(const char* name))();
/* Of so many elements. */
long bytes_of(MPI_Datatype type, long count);
/* A request of a file is pending, and what is added when it is over: the bytes of the status. */
void keep_of_file(MPI_Request request, const char* key);
void moved_by_file(const char* key, int result, MPI_Status* status);
/* Writes down the requests that are still pending. */
void write_pending(FILE* file);

#define NEXT(name, ...)                                           \
  static __typeof__(&name) next;                                  \
  if (next == NULL) next = (__typeof__(&name))next_of("P" #name); \
  if (depth > 0) return next(__VA_ARGS__);                        \
  add("call " #name, 0, 0);
/* The other name, which Fortran libraries call. */
#define ALSO(name) __typeof__(name) P##name __attribute__((alias(#name)));
#define INNER(call) (++depth, result = (call), --depth, result)
