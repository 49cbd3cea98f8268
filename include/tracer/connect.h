/* SPDX-License-Identifier: BSD-3-Clause */
/* For front ends: finds libtracer.so in the process, or beside the calling library, and connects. */
#ifndef TRACER_CONNECT_H
#define TRACER_CONNECT_H

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>

#include "tracer/front_end.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As tracer_connect(); `inside`: any function of the calling library. Compile with _GNU_SOURCE (g++ and clang++ define
 * it). Do not call it in handlers: it may load a library. Does not trace a set-user-id program, whose environment is
 * untrusted. */
static inline const struct tracer_front_end* tracer_find_and_connect(const void* inside) {
  typedef const struct tracer_front_end* (*connect_function)(uint32_t);
  const int kept_errno = errno;
  if (getauxval(AT_SECURE) != 0) return NULL;
  void* symbol = dlsym(RTLD_DEFAULT, "tracer_connect"); /* preloaded, or linked into the program */
  Dl_info info;
  if (symbol == NULL && dladdr((void*)inside, &info) != 0 && info.dli_fname != NULL) {
    static const char name[] = "libtracer.so";
    char path[PATH_MAX];
    const char* slash = strrchr(info.dli_fname, '/');
    const size_t length = slash != NULL ? (size_t)(slash - info.dli_fname) + 1 : 0;
    if (length + sizeof name <= sizeof path) {
      memcpy(path, info.dli_fname, length);
      memcpy(path + length, name, sizeof name);
      void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (library != NULL) symbol = dlsym(library, "tracer_connect");
    }
  }
  connect_function connect = NULL;
  if (symbol != NULL) memcpy(&connect, &symbol, sizeof connect); /* C has no cast from a pointer to data */
  const struct tracer_front_end* table = connect != NULL ? connect(TRACER_FRONT_END_VERSION) : NULL;
  errno = kept_errno;
  return table;
}

#ifdef __cplusplus
}
#endif

#endif
