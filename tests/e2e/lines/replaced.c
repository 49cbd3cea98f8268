// SPDX-License-Identifier: BSD-3-Clause
// Opens one plug-in after the other, calls it and closes it; with an argument more: waits between them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void* use(const char* path, const char* name) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*call)(void);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    _exit(1);
  }
  *(void**)&call = dlsym(library, name);
  if (strcmp(name, "orphaned") == 0) {
#pragma omp parallel
    call();
  } else {
    call();
  }
  dlclose(library);
  return (void*)call;
}

int main(int argc, char** argv) {
  int same = 0;
  for (int round = 0; round < 3; ++round) {
    const char* name = argc > 3 ? argv[3] : "region";
    void* first = use(argv[1], name);
    if (argc > 4) usleep(150000);
    same += first == use(argv[2], name);
    if (argc > 4) usleep(150000);
  }
  printf("%s\n", same ? "replaced" : "elsewhere");
  return 0;
}
