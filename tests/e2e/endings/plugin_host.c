// SPDX-License-Identifier: BSD-3-Clause
// Opens, uses and closes a plugin that brings OpenMP, twice; what it was is gone when the program ends.
#include <dlfcn.h>
#include <stdio.h>

static int use(const char* path) {
  void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return fprintf(stderr, "%s\n", dlerror()), -1;
  int (*sum)(int) = (int (*)(int))dlsym(plugin, "plugin_sum");
  const int result = sum ? sum(100) + sum(10) : -1;
  dlclose(plugin);
  return result;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int first = use(argv[1]), second = use(argv[1]);
  printf("sums %d %d\n", first, second);
  return first == second ? 0 : 1;
}
