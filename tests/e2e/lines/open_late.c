// SPDX-License-Identifier: BSD-3-Clause
// Uses OpenMP, then opens the library given as argument, calls it, and closes it again.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int members = 0;
#pragma omp parallel reduction(+ : members)
  members += 1;
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  void (*call)(void);
  *(void**)&call = dlsym(library, "all_constructs");
  call();
  dlclose(library);
  printf("members %d\n", members);
  return 0;
}
