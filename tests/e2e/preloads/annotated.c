// SPDX-License-Identifier: BSD-3-Clause
// Ranges by ROCTx's functions, whose library is preloaded; no OpenMP, whose runtime MemorySanitizer has not made. Uses
// what it has got from the C library after it. Status 3.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int roctxRangePushA(const char*) __attribute__((weak));
extern int roctxRangePop(void) __attribute__((weak));

int main(void) {
  char name[64];
  for (int i = 0; i < 2000; ++i) {
    snprintf(name, sizeof name, "phase %d", i % 300);
    if (roctxRangePushA) roctxRangePushA(name);
    if (roctxRangePop) roctxRangePop();
  }
  char* copy = strdup(name);
  printf("%zu\n", strlen(copy));
  free(copy);
  return 3;
}
