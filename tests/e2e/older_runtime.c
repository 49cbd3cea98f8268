// SPDX-License-Identifier: BSD-3-Clause
// What newer compilers call and runtimes before 19 lack, to be preloaded: it does nothing in the
// newer runtimes either, or the same as an older entry.
#include <stdint.h>

void __kmpc_dispatch_deinit(void* location, int32_t thread) {
  (void)location;
  (void)thread;
}

void __kmpc_omp_wait_deps(void*, int32_t, int32_t, void*, int32_t, void*);
void __kmpc_omp_taskwait_deps_51(void* location, int32_t thread, int32_t count, void* list, int32_t count_noalias,
                                 void* list_noalias, int32_t has_no_wait) {
  (void)has_no_wait;
  __kmpc_omp_wait_deps(location, thread, count, list, count_noalias, list_noalias);
}
