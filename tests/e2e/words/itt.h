// SPDX-License-Identifier: BSD-3-Clause
// ITT as ittnotify_static.c has it: the table of functions that a program hands to the tool's library.
#pragma once
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

struct itt_id {
  unsigned long long d1, d2, d3;
};
struct itt_row {
  const char* name;
  void** pointer;
  void *first, *nothing;
  int group;
};
struct itt_global {
  unsigned char magic[8];
  unsigned long version[3];
  volatile long state[3];
  pthread_mutex_t mutex;
  void *library, *error_handler;
  const char** path;
  struct itt_row* rows;
  void* rest[16];
};

/// Fills in the pointers of `rows`, which end with a name of 0, as of that version of the interface; without a tool
/// they stay as they are.
static void itt_initialize(struct itt_row* rows, unsigned long version) {
  static struct itt_global global = {
      {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30}, {3, 25, 0}, {0}, PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0, {0}};
  const char* path = getenv("INTEL_LIBITTNOTIFY64");
  void* library = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
  void (*initialize)(void*, int) = NULL;
  if (library != NULL) *(void**)&initialize = dlsym(library, "__itt_api_init");
  if (initialize == NULL) return;
  global.version[0] = version;
  global.rows = rows;
  initialize(&global, -1);
}
