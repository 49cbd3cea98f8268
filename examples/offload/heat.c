// SPDX-License-Identifier: BSD-3-Clause
// Heat spreads over a square plate that lives on a device: two kernels a step, one for each half of the plate, ordered
// by dependences while the host goes on; now and then the middle row comes back to be looked at.
//
// Usage: heat [--count] [SIZE [STEPS [LOOK_EVERY]]]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the program asks of the device, for --count.
static struct { long kernels, to_device, from_device, updates, bytes_to_device, bytes_from_device; } asked;

static double* new_plate(int n) {
  double* plate = calloc((size_t)n * n, sizeof *plate);
  if (plate == NULL) exit(1);
  for (int column = 0; column < n; ++column) plate[column] = 100.0;  // the upper edge is hot
  return plate;
}

// Rows [first, last) of a step, as a task of the device. A half must not be computed before both halves of the step
// before are complete: its edge row has neighbours in the other one.
static void half_step(double* old, double* new, int n, int first, int last, char* before, char* mine) {
#pragma omp target teams distribute parallel for collapse(2) nowait map(to                                    \
                                                                        : old [0:n * n]) map(tofrom           \
                                                                                             : new [0:n * n]) \
    depend(in                                                                                                 \
           : before[0], before[1]) depend(out                                                                 \
                                          : mine[0])
  for (int row = first; row < last; ++row) {
    for (int column = 1; column < n - 1; ++column) {
      const int at = row * n + column;
      new[at] = 0.25 * (old[at - n] + old[at + n] + old[at - 1] + old[at + 1]);
    }
  }
  ++asked.kernels;
}

// The mean temperature of the row in the middle, as the device has it now.
static double look(double* plate, int n) {
  const int middle = n / 2 * n;
  double sum = 0.0;
#pragma omp taskwait
#pragma omp target update from(plate [middle:n])
  ++asked.updates;
  ++asked.from_device;
  asked.bytes_from_device += n * (long)sizeof *plate;
  for (int column = 0; column < n; ++column) sum += plate[middle + column];
  return sum / n;
}

static double* simulate(double* old, double* new, int n, int steps, int every) {
  char done[2][2];  // [step & 1][half]: only their addresses matter
#pragma omp target enter data map(to : old [0:n * n], new [0:n * n])
  asked.to_device += 2;
  asked.bytes_to_device += 2 * (long)n * n * (long)sizeof *old;
  for (int step = 0; step < steps; ++step) {
    char *before = done[step & 1], *mine = done[~step & 1];
    half_step(old, new, n, 1, n / 2, before, &mine[0]);
    half_step(old, new, n, n / 2, n - 1, before, &mine[1]);
    double* swap = old;
    old = new;
    new = swap;
    if ((step + 1) % every == 0) printf("step %d: middle row at %.6f\n", step + 1, look(old, n));
  }
#pragma omp taskwait
#pragma omp target exit data map(from : old [0:n * n]) map(release : new [0:n * n])
  ++asked.from_device;
  asked.bytes_from_device += (long)n * n * (long)sizeof *old;
  return old;
}

int main(int argc, char** argv) {
  const int counting = argc > 1 && strcmp(argv[1], "--count") == 0;
  argc -= counting;
  argv += counting;
  const int n = argc > 1 ? atoi(argv[1]) : 256;
  const int steps = argc > 2 ? atoi(argv[2]) : 100;
  const int every = argc > 3 ? atoi(argv[3]) : 25;
  if (n < 4 || steps < 1 || every < 1) return fprintf(stderr, "usage: heat [--count] [SIZE [STEPS [LOOK_EVERY]]]\n"), 2;

  double *first = new_plate(n), *second = new_plate(n);
  const double* last = simulate(first, second, n, steps, every);
  double heat = 0.0;
  for (int at = 0; at < n * n; ++at) heat += last[at];
  printf("%d devices, heat %.6f after %d steps\n", omp_get_num_devices(), heat, steps);
  if (counting) {
    printf("count target submit %ld\ncount target kernel %ld\n", asked.kernels, asked.kernels);
    printf("count target %ld\ncount target update %ld\n", asked.kernels, asked.updates);
    printf("count target data to device %ld\ncount target data from device %ld\n", asked.to_device, asked.from_device);
    printf("count target enter data 1\ncount target exit data 1\n");
    printf("bytes to device %ld\nbytes from device %ld\n", asked.bytes_to_device, asked.bytes_from_device);
  }
  free(first);
  free(second);
  return 0;
}
