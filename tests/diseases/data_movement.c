// SPDX-License-Identifier: BSD-3-Clause
// Data movement that could be avoided (the host, as a device). `data_movement` lists the programs, `data_movement NAME`
// runs one and prints "PATTERN COUNT BYTES LINE" of each pattern that its trace must show, and nothing else may be
// there.
#include <omp.h>
#include <stdlib.h>

#include "patterns.h"

enum { size = 4 << 20, steps = 8 };  // numbers of 4 bytes: 16 MiB
static const unsigned long bytes = (unsigned long)size * sizeof(int);

static int *a, *b;

/// Nothing but the kernel's time: keeps the copies from being all there is.
static void use(int* data) {
#pragma omp target teams distribute parallel for map(present, alloc : data [0:size])
  for (int i = 0; i < size; ++i) data[i] += 1;
}

/// Sends the same content for each step.
static void duplicate_transfer(void) {
  long sum = 0;
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
#pragma omp target update to(a [0:size])
#pragma omp target teams distribute parallel for reduction(+ : sum) map(present, alloc : a [0:size])
    for (int i = 0; i < size; ++i) sum += a[i];
  }
  if (sum != (long)size * steps) exit(1);
  expect("duplicate-transfer", steps - 1, (steps - 1) * bytes, __LINE__ - 6);
}

/// Fetches the result of each step, and sends it for the next as it is.
static void round_trip(void) {
  for (int step = 0; step < steps; ++step) {
#pragma omp target enter data map(to : a [0:size])
    use(a);
#pragma omp target update from(a [0:size])
#pragma omp target exit data map(release : a [0:size])
  }
  if (a[size - 1] != 1 + steps) exit(1);
  expect("round-trip", steps - 1, (steps - 1) * bytes, __LINE__ - 6);
  expect("repeated-allocation", steps - 1, (steps - 1) * bytes, 0);
}

/// Maps tofrom what the kernel only reads.
static void returned_unchanged(void) {
  long sum = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < size; ++i) a[i] = step + 1;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : a [0:size])
    for (int i = 0; i < size; ++i) sum += a[i];
  }
  // The reduction's variable as well: each kernel fetches it, and the next sends it back.
  expect("round-trip", 2 * steps - 1, steps * bytes + (steps - 1) * sizeof sum, __LINE__ - 4);
  expect("repeated-allocation", 2 * (steps - 1), (steps - 1) * (bytes + sizeof sum), 0);
}

/// Memory of the device for each step that the kernel writes and the host does not need.
static void repeated_allocation(void) {
  for (int step = 0; step < steps; ++step) {
#pragma omp target data map(alloc : a [0:size])
    {
#pragma omp target teams distribute parallel for map(present, alloc : a [0:size])
      for (int i = 0; i < size; ++i) a[i] = i;
    }
  }
  expect("repeated-allocation", steps - 1, (steps - 1) * bytes, __LINE__ - 6);
}

static void unused_allocation(void) {
  use(b);
  for (int step = 0; step < steps; ++step) {
#pragma omp target enter data map(alloc : a [0:size])
#pragma omp target exit data map(release : a [0:size])
  }
  use(b);
  expect("unused-allocation", steps, steps * bytes, __LINE__ - 4);
}

/// Sent twice before each kernel.
static void unused_transfer(void) {
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
    a[0] = 2 * step;
#pragma omp target update to(a [0:size])
    a[0] = 2 * step + 1;
#pragma omp target update to(a [0:size])
    use(a);
  }
  expect("unused-transfer", steps, steps * bytes, __LINE__ - 5);
}

/// New content for each step, all of it used, one allocation.
static void healthy(void) {
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < size; ++i) a[i] = step * 7 + i;
#pragma omp target update to(a [0:size])
    use(a);
#pragma omp target update from(a [0:size])
  }
}

/// Sent once, changed by all kernels, fetched once.
static void resident(void) {
#pragma omp target data map(tofrom : a [0:size])
  for (int step = 0; step < steps; ++step) use(a);
}

static const Program programs[] = {{"duplicate_transfer", duplicate_transfer},
                                   {"round_trip", round_trip},
                                   {"returned_unchanged", returned_unchanged},
                                   {"repeated_allocation", repeated_allocation},
                                   {"unused_allocation", unused_allocation},
                                   {"unused_transfer", unused_transfer},
                                   {"healthy", healthy},
                                   {"resident", resident}};

int main(int argc, char** argv) {
  a = malloc(bytes);
  b = malloc(bytes);
  for (int i = 0; i < size; ++i) a[i] = b[i] = 1;
  const Program* const program = chosen(programs, sizeof programs / sizeof programs[0], argc, argv);
  if (program != NULL) {
    int* keep = b;
#pragma omp target enter data map(to : keep [0:size])  // used by kernels of all programs
    program->run();
#pragma omp target teams distribute parallel for map(present, alloc : keep [0:size])
    for (int j = 0; j < size; ++j) keep[j] += 1;
#pragma omp target exit data map(from : keep [0:size])
  }
  free(a);
  free(b);
  return 0;
}
