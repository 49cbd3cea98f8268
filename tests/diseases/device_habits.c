// SPDX-License-Identifier: BSD-3-Clause
// Needed work of devices that costs more than it must (the host, as a device). `device_habits` lists the programs,
// `device_habits NAME` runs one and prints "PATTERN COUNT BYTES LINE" of each pattern that its trace must show, and
// nothing else may be there. `device_habits NAME cured` runs the same without the disease.
#include <omp.h>
#include <stdlib.h>

#include "patterns.h"

enum { size = 4 << 20, steps = 24, many = 90, rows = 64, row = 256, launches = 10000 };
static const unsigned long bytes = (unsigned long)size * sizeof(int);

static int *a, *b;
static int small[rows][row];

/// A kernel that takes some time.
static void use(int* data) {
#pragma omp target teams distribute parallel for map(present, alloc : data [0:size])
  for (int i = 0; i < size; ++i) data[i] += 1;
}

/// Two buffers take turns, and each is sent when the kernel on the other one has ended.
static void serial_transfer(void) {
  double lost = 0, kernel = 0;
#pragma omp target data map(alloc : a [0:size], b [0:size])
  for (int step = 0; step < steps; ++step) {
    int* half = step % 2 == 0 ? a : b;
    half[0] = step;
    double begin = now();
#pragma omp target update to(half [0:size])
    const double copy = now() - begin;
    if (step > 1) lost += copy < kernel ? copy : kernel;
    begin = now();
    use(half);
    kernel = now() - begin;
  }
  expect("serial-transfer", steps - 2, (steps - 2) * bytes, __LINE__ - 7);
  expect_seconds("serial-transfer", lost);
}

/// Row by row.
static void small_transfers(void) {
  double lost = 0;
#pragma omp target data map(to : small) map(alloc : a [0:size])
  for (int step = 0; step < many; ++step) {
    for (int i = 0; i < rows; ++i) {
      small[i][0] = 1000 * step + i;
      const double begin = now();
#pragma omp target update to(small [i:1])
      if (i > 0) lost += now() - begin;
    }
#pragma omp target map(present, alloc : small, a [0:size])
    for (int i = 0; i < rows; ++i) a[i] = small[i][0];
  }
  expect("small-transfers", many * rows, (unsigned long)many * sizeof small, __LINE__ - 6);
  expect_seconds("small-transfers", lost);
}

/// A few additions each.
static void short_kernels(void) {
  double lost = 0;
#pragma omp target data map(alloc : a [0:size])
  for (int launch = 0; launch < launches; ++launch) {
    const double begin = now();
#pragma omp target map(present, alloc : a [0:size])
    for (int i = 0; i < 16; ++i) a[i] += launch;
    lost += now() - begin;
  }
  expect("short-kernels", launches, 0, __LINE__ - 4);
  expect_seconds("short-kernels", lost);
}

/// The host's work needs nothing of the device's.
static void device_turns(void) {
  double lost = 0;
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
    const double begin = now();
#pragma omp target teams distribute parallel for map(present, alloc : a [0:size])
    for (int i = 0; i < size; ++i) a[i] = i;
    const double middle = now();
    for (int i = 0; i < size; ++i) b[i] += step;
    const double end = now();
    lost += end - middle < middle - begin ? end - middle : middle - begin;
  }
  expect("device-turns", steps, 0, __LINE__ - 7);
  expect_seconds("device-turns", lost);
}

/// The host's work needs what the kernel made.
static void dependent(void) {
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
#pragma omp target update to(a [0:size])
    use(a);
#pragma omp target update from(a [0:size])
    for (int i = 0; i < size; ++i) a[i] += (step + 1) * i;
  }
}

/// Host and device work at once.
static void overlapped(void) {
#pragma omp target enter data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
#pragma omp target teams distribute parallel for map(present, alloc : a [0:size]) nowait
    for (int i = 0; i < size; ++i) a[i] = i;
    for (int i = 0; i < size; ++i) b[i] += step;
#pragma omp taskwait
  }
#pragma omp target exit data map(release : a [0:size])
}

/// One number for each step.
static void one_scalar(void) {
  int scale = 1;
#pragma omp target data map(alloc : a [0:size]) map(to : scale)
  for (int step = 0; step < steps; ++step) {
    scale = step + 2;
#pragma omp target update to(scale)
#pragma omp target teams distribute parallel for map(present, alloc : a [0:size], scale)
    for (int i = 0; i < size; ++i) a[i] = scale * i;
  }
}

/// A part for each step, and each of them once.
static void streamed(void) {
  const int length = size / steps;
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < steps; ++step) {
    const int from = step * length;
#pragma omp target update to(a [from:length])
#pragma omp target teams distribute parallel for map(present, alloc : a [0:size])
    for (int i = from; i < from + length; ++i) a[i] += 1;
  }
}

/// Few, and each with much to do.
static void long_kernels(void) {
#pragma omp target data map(alloc : a [0:size])
  for (int step = 0; step < 4 * steps; ++step) use(a);
}

// The same as the report advises to write them.

static void serial_transfer_cured(void) {
#pragma omp target enter data map(alloc : a [0:size], b [0:size])
  for (int step = 0; step < steps; ++step) {
    int* half = step % 2 == 0 ? a : b;
#pragma omp target update to(half [0:size]) nowait depend(inout : half[0])
#pragma omp target teams distribute parallel for map(present, alloc : half [0:size]) nowait depend(inout : half[0])
    for (int i = 0; i < size; ++i) half[i] += 1;
  }
#pragma omp taskwait
#pragma omp target exit data map(release : a [0:size], b [0:size])
}

static void small_transfers_cured(void) {
#pragma omp target data map(to : small) map(alloc : a [0:size])
  for (int step = 0; step < many; ++step) {
    for (int i = 0; i < rows; ++i) small[i][0] = 1000 * step + i;
#pragma omp target update to(small)
#pragma omp target map(present, alloc : small, a [0:size])
    for (int i = 0; i < rows; ++i) a[i] = small[i][0];
  }
}

static void short_kernels_cured(void) {
#pragma omp target data map(alloc : a [0:size])
#pragma omp target map(present, alloc : a [0:size])
  for (int launch = 0; launch < launches; ++launch)
    for (int i = 0; i < 16; ++i) a[i] += launch;
}

static const Program programs[] = {{"serial_transfer", serial_transfer, serial_transfer_cured},
                                   {"small_transfers", small_transfers, small_transfers_cured},
                                   {"short_kernels", short_kernels, short_kernels_cured},
                                   {"device_turns", device_turns, overlapped},
                                   {"dependent", dependent, NULL},
                                   {"overlapped", overlapped, NULL},
                                   {"one_scalar", one_scalar, NULL},
                                   {"streamed", streamed, NULL},
                                   {"long_kernels", long_kernels, NULL}};

int main(int argc, char** argv) {
  a = malloc(bytes);
  b = malloc(bytes);
  for (int i = 0; i < size; ++i) a[i] = b[i] = 1;
  const Program* const program = chosen(programs, sizeof programs / sizeof programs[0], argc, argv);
  if (program != NULL) run(program, argc);
  free(a);
  free(b);
  return 0;
}
