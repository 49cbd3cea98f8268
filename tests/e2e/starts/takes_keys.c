// SPDX-License-Identifier: BSD-3-Clause
// All keys of threads are the program's by the time the tool wants one: it takes them behind the runtime's own. None
// may have a value that the program has not given it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void Destructor(void*);
typedef int Create(pthread_key_t*, Destructor*);

static pthread_key_t keys[PTHREAD_KEYS_MAX];
static int taken = 0;
static int wrong = 0;

static void never(void* value) {
  (void)value;
  abort();
}

static void take(int most) {
  Create* const create = (Create*)dlsym(RTLD_NEXT, "pthread_key_create");
  while (taken < most && create(&keys[taken], &never) == 0) ++taken;
}

__attribute__((constructor)) static void take_first(void) {
  take(1);
}

int pthread_key_create(pthread_key_t* key, Destructor* destructor) {
  Create* const create = (Create*)dlsym(RTLD_NEXT, "pthread_key_create");
  Dl_info caller;
  const int result = create(key, destructor);
  if (dladdr(__builtin_return_address(0), &caller) != 0 && strstr(caller.dli_fname, "libomp") != NULL)
    take(PTHREAD_KEYS_MAX);
  return result;
}

static void look(void) {
  for (int i = 0; i < taken; ++i)
    if (pthread_getspecific(keys[i]) != NULL) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void* compute(void* unused) {
#pragma omp parallel num_threads(2)
  look();
  return unused;
}

int main(void) {
  compute(NULL);
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, &compute, NULL) != 0) return 2;
    pthread_join(thread, NULL);
  }
  printf("%s, %d wrong\n", taken > 1 ? "all taken" : "none taken", wrong);
  return taken > 1 && wrong == 0 ? 0 : 1;
}
