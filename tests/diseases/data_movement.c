// SPDX-License-Identifier: BSD-3-Clause
// Data movement that could be avoided (the host, as a device). `data_movement` lists the programs, `data_movement NAME`
// runs one and prints "PATTERN COUNT BYTES LINE" of each pattern that its trace must show, and nothing else may be
// there. `data_movement NAME cured` runs the same without the disease.
#include <omp.h>
#include <stdlib.h>

#include "patterns.h"

enum { size = 4 << 20, part = 16 << 10, steps = 24, pieces = 8, many = 1000 };  // numbers of 4 bytes: 16 MiB
static const unsigned long bytes = (unsigned long)size * sizeof(int);

/// 64 MiB, which malloc gives back to the system each time.
enum { large = 16 << 20, page = 1024 };
static const unsigned long large_bytes = (unsigned long)large * sizeof(int);

static int *a, *b, *c;

/// A kernel that takes little time beside a copy.
static void use(int* data) {
#pragma omp target map(present, alloc : data [0:part])
  for (int i = 0; i < part; ++i) data[i] += 1;
}

/// Sends the same content for each step.
static void duplicate_transfer(void) {
  long sum = 0;
  double lost = 0;
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
    const double begin = now();
#pragma omp target update to(a [0:size])
    if (step > 0) lost += now() - begin;
#pragma omp target map(tofrom : sum) map(present, alloc : a [0:size])
    for (int i = 0; i < part; ++i) sum += a[i];
  }
  if (sum != (long)part * steps) exit(1);
  expect("duplicate-transfer", steps - 1, (steps - 1) * bytes, __LINE__ - 7);
  expect_seconds("duplicate-transfer", lost);
}

/// Fetches the result of each step, and sends it for the next as it is.
static void round_trip(void) {
  double lost = 0;
  for (int step = 0; step < steps; ++step) {
    const double begin = now();
#pragma omp target enter data map(to : a [0:size])
    if (step > 0) lost += now() - begin;
    use(a);
#pragma omp target update from(a [0:size])
#pragma omp target exit data map(release : a [0:size])
  }
  if (a[0] != 1 + steps) exit(1);
  expect("round-trip", steps - 1, (steps - 1) * bytes, __LINE__ - 7);
  expect("repeated-allocation", steps - 1, (steps - 1) * bytes, 0);
  expect_seconds("round-trip", lost);
}

/// Maps tofrom what the kernel only reads.
static void returned_unchanged(void) {
  long sum = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < size; ++i) a[i] = step + 1;
#pragma omp target map(tofrom : sum) map(tofrom : a [0:size])
    for (int i = 0; i < part; ++i) sum += a[i];
  }
  // `sum` as well: each kernel fetches it, and the next sends it back.
  expect("round-trip", 2 * steps - 1, steps * bytes + (steps - 1) * sizeof sum, __LINE__ - 4);
  expect("repeated-allocation", 2 * (steps - 1), (steps - 1) * (bytes + sizeof sum), 0);
}

/// Fetches what the kernels only read.
static void fetched_unchanged(void) {
  long sum = 0;
  double lost = 0;
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < size; ++i) a[i] = step + 1;
#pragma omp target update to(a [0:size])
#pragma omp target map(tofrom : sum) map(present, alloc : a [0:size])
    for (int i = 0; i < part; ++i) sum += a[i];
    const double begin = now();
#pragma omp target update from(a [0:size])
    lost += now() - begin;
  }
  // `sum` as well, as above.
  expect("round-trip", 2 * steps - 1, steps * bytes + (steps - 1) * sizeof sum, __LINE__ - 4);
  expect("repeated-allocation", steps - 1, (steps - 1) * sizeof sum, 0);
  expect_seconds("round-trip", lost);
}

/// Memory of the device for each step that the kernel writes and the host does not need.
static void repeated_allocation(void) {
  double lost = 0;
  for (int step = 0; step < steps; ++step) {
    const double begin = now();
    double end;
#pragma omp target data map(alloc : c [0:large])
    {
      if (step > 0) lost += now() - begin;
#pragma omp target map(present, alloc : c [0:large])
      for (int i = 0; i < large; i += page) c[i] = i;
      end = now();
    }
    if (step > 0) lost += now() - end;
  }
  expect("repeated-allocation", steps - 1, (steps - 1) * large_bytes, __LINE__ - 9);
  expect_seconds("repeated-allocation", lost);
}

/// The same, of the routine that names no variable of the host.
static void repeated_routine(void) {
  const int device = omp_get_default_device();
  double lost = 0;
  for (int step = 0; step < steps; ++step) {
    double begin = now();
    int* memory = omp_target_alloc(large_bytes, device);
    if (step > 0) lost += now() - begin;
#pragma omp target is_device_ptr(memory)
    for (int i = 0; i < large; i += page) memory[i] = i;
    begin = now();
    omp_target_free(memory, device);
    if (step > 0) lost += now() - begin;
  }
  expect("repeated-allocation", steps - 1, (steps - 1) * large_bytes, __LINE__ - 8);
  expect_seconds("repeated-allocation", lost);
}

/// Sends the same content for each step, to memory of its own.
static void duplicate_routine(void) {
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  double lost = 0;
  int* memory = omp_target_alloc(bytes, device);
  for (int step = 0; step < steps; ++step) {
    const double begin = now();
    if (omp_target_memcpy(memory, a, bytes, 0, 0, device, host) != 0) exit(1);
    if (step > 0) lost += now() - begin;
#pragma omp target is_device_ptr(memory)
    for (int i = 0; i < part; ++i) memory[i] += i;
  }
  omp_target_free(memory, device);
  expect("duplicate-transfer", steps - 1, (steps - 1) * bytes, __LINE__ - 6);
  expect_seconds("duplicate-transfer", lost);
}

static void unused_allocation(void) {
  double lost = 0;
  use(b);
  for (int step = 0; step < many; ++step) {
    const double begin = now();
#pragma omp target enter data map(alloc : c [0:large])
#pragma omp target exit data map(release : c [0:large])
    lost += now() - begin;
  }
  use(b);
  expect("unused-allocation", many, many * large_bytes, __LINE__ - 5);
  expect_seconds("unused-allocation", lost);
}

/// Sent twice before each kernel.
static void unused_transfer(void) {
  double lost = 0;
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
    a[0] = 2 * step;
    const double begin = now();
#pragma omp target update to(a [0:size])
    lost += now() - begin;
    a[0] = 2 * step + 1;
#pragma omp target update to(a [0:size])
    use(a);
  }
  expect("unused-transfer", steps, steps * bytes, __LINE__ - 6);
  expect_seconds("unused-transfer", lost);
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

/// Memory for each part at one place of the source, all of it in use at once, and for each another content.
static void parts(void) {
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  int* memory[pieces];
  for (int step = 0; step < pieces; ++step) {
    memory[step] = omp_target_alloc(bytes, device);
    for (int i = 0; i < size; ++i) a[i] = step * 7 + i;
    if (omp_target_memcpy(memory[step], a, bytes, 0, 0, device, host) != 0) exit(1);
  }
  for (int step = 0; step < pieces; ++step) {
    int* mine = memory[step];
#pragma omp target is_device_ptr(mine)
    for (int i = 0; i < part; ++i) mine[i] += 1;
  }
  for (int step = 0; step < pieces; ++step) omp_target_free(memory[step], device);
}

// The same as the report advises to write them.

static void duplicate_transfer_cured(void) {
  long sum = 0;
#pragma omp target data map(to : a [0:size])
  for (int step = 0; step < steps; ++step) {
#pragma omp target map(tofrom : sum) map(present, alloc : a [0:size])
    for (int i = 0; i < part; ++i) sum += a[i];
  }
  if (sum != (long)part * steps) exit(1);
}

static void round_trip_cured(void) {
#pragma omp target data map(to : a [0:size])
  for (int step = 0; step < steps; ++step) {
    use(a);
#pragma omp target update from(a [0:size])
  }
  if (a[0] != 1 + steps) exit(1);
}

static void returned_unchanged_cured(void) {
  long sum = 0;
#pragma omp target data map(tofrom : sum)
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < size; ++i) a[i] = step + 1;
#pragma omp target map(present, alloc : sum) map(to : a [0:size])
    for (int i = 0; i < part; ++i) sum += a[i];
  }
}

static void fetched_unchanged_cured(void) {
  long sum = 0;
#pragma omp target data map(alloc : a [0:size]) map(tofrom : sum)
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < size; ++i) a[i] = step + 1;
#pragma omp target update to(a [0:size])
#pragma omp target map(present, alloc : sum, a [0:size])
    for (int i = 0; i < part; ++i) sum += a[i];
  }
}

static void repeated_allocation_cured(void) {
#pragma omp target data map(alloc : c [0:large])
  for (int step = 0; step < steps; ++step) {
#pragma omp target map(present, alloc : c [0:large])
    for (int i = 0; i < large; i += page) c[i] = i;
  }
}

static void repeated_routine_cured(void) {
  const int device = omp_get_default_device();
  int* memory = omp_target_alloc(large_bytes, device);
  for (int step = 0; step < steps; ++step) {
#pragma omp target is_device_ptr(memory)
    for (int i = 0; i < large; i += page) memory[i] = i;
  }
  omp_target_free(memory, device);
}

static void duplicate_routine_cured(void) {
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  int* memory = omp_target_alloc(bytes, device);
  if (omp_target_memcpy(memory, a, bytes, 0, 0, device, host) != 0) exit(1);
  for (int step = 0; step < steps; ++step) {
#pragma omp target is_device_ptr(memory)
    for (int i = 0; i < part; ++i) memory[i] += i;
  }
  omp_target_free(memory, device);
}

static void unused_allocation_cured(void) {
  use(b);
  use(b);
}

static void unused_transfer_cured(void) {
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
    a[0] = 2 * step + 1;
#pragma omp target update to(a [0:size])
    use(a);
  }
}

static const Program programs[] = {{"duplicate_transfer", duplicate_transfer, duplicate_transfer_cured},
                                   {"round_trip", round_trip, round_trip_cured},
                                   {"returned_unchanged", returned_unchanged, returned_unchanged_cured},
                                   {"fetched_unchanged", fetched_unchanged, fetched_unchanged_cured},
                                   {"repeated_allocation", repeated_allocation, repeated_allocation_cured},
                                   {"repeated_routine", repeated_routine, repeated_routine_cured},
                                   {"duplicate_routine", duplicate_routine, duplicate_routine_cured},
                                   {"unused_allocation", unused_allocation, unused_allocation_cured},
                                   {"unused_transfer", unused_transfer, unused_transfer_cured},
                                   {"healthy", healthy, NULL},
                                   {"resident", resident, NULL},
                                   {"parts", parts, NULL}};

int main(int argc, char** argv) {
  a = malloc(bytes);
  b = malloc(bytes);
  c = malloc(large_bytes);
  for (int i = 0; i < size; ++i) a[i] = b[i] = 1;
  const Program* const program = chosen(programs, sizeof programs / sizeof programs[0], argc, argv);
  if (program != NULL) {
    int* keep = b;
#pragma omp target enter data map(to : keep [0:part])  // used by kernels of all programs
    run(program, argc);
#pragma omp target map(present, alloc : keep [0:part])
    for (int j = 0; j < part; ++j) keep[j] += 1;
#pragma omp target exit data map(from : keep [0:part])
  }
  free(a);
  free(b);
  free(c);
  return 0;
}
