// SPDX-License-Identifier: BSD-3-Clause
// Tiled Cholesky factorisation: A = L * transpose(L), one task per tile operation, ordered by dependences.
//
// The tasks of a step may start as soon as the tiles that they read are ready, so steps overlap and
// nobody waits at a barrier until the end. Usage: cholesky [--count] [TILES [TILE_SIZE]]
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tiles, size;  // the matrix is tiles x tiles tiles of size x size numbers, each tile contiguous
static double* matrix;

static double* tile(int row, int column) {
  return matrix + (size_t)(row * tiles + column) * size * size;
}

// The four operations on tiles, named as in LAPACK and BLAS.
static void potrf(double* a) {
  for (int k = 0; k < size; ++k) {
    for (int j = 0; j < k; ++j) a[k * size + k] -= a[k * size + j] * a[k * size + j];
    a[k * size + k] = sqrt(a[k * size + k]);
    for (int i = k + 1; i < size; ++i) {
      for (int j = 0; j < k; ++j) a[i * size + k] -= a[i * size + j] * a[k * size + j];
      a[i * size + k] /= a[k * size + k];
    }
    for (int j = k + 1; j < size; ++j) a[k * size + j] = 0.0;
  }
}

static void trsm(const double* l, double* b) {
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < size; ++k) {
      double sum = b[i * size + k];
      for (int j = 0; j < k; ++j) sum -= b[i * size + j] * l[k * size + j];
      b[i * size + k] = sum / l[k * size + k];
    }
  }
}

static void gemm(const double* a, const double* b, double* c) {
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      double sum = 0.0;
      for (int k = 0; k < size; ++k) sum += a[i * size + k] * b[j * size + k];
      c[i * size + j] -= sum;
    }
  }
}

static void syrk(const double* a, double* c) {
  gemm(a, a, c);
}

// To be called by one thread of a team; the tasks run on all of them. Returns how many were created.
static int factorise(void) {
  int created = 0;
  for (int k = 0; k < tiles; ++k) {
    double* diagonal = tile(k, k);
#pragma omp task depend(inout : diagonal[0])
    potrf(diagonal);
    ++created;
    for (int i = k + 1; i < tiles; ++i) {
      double* below = tile(i, k);
#pragma omp task depend(in : diagonal[0]) depend(inout : below[0])
      trsm(diagonal, below);
      ++created;
    }
    for (int i = k + 1; i < tiles; ++i) {
      double *left = tile(i, k), *target = tile(i, i);
#pragma omp task depend(in : left[0]) depend(inout : target[0])
      syrk(left, target);
      ++created;
      for (int j = k + 1; j < i; ++j) {
        double *other = tile(j, k), *inner = tile(i, j);
#pragma omp task depend(in : left[0], other[0]) depend(inout : inner[0])
        gemm(left, other, inner);
        ++created;
      }
    }
  }
#pragma omp taskwait
  return created;
}

// A symmetric positive definite matrix whose factor is known only by computing it.
static double element(int row, int column) {
  return row == column ? tiles * size : 1.0 / (1.0 + abs(row - column));
}

static double at(int row, int column) {
  return tile(row / size, column / size)[(row % size) * size + column % size];
}

static void fill(void) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int row = 0; row < tiles * size; ++row) {
    for (int column = 0; column < tiles * size; ++column) {
      tile(row / size, column / size)[(row % size) * size + column % size] = element(row, column);
    }
  }
}

// The largest difference between A and L * transpose(L).
static double residual(void) {
  double largest = 0.0;
#pragma omp parallel for schedule(dynamic) reduction(max : largest)
  for (int row = 0; row < tiles * size; ++row) {
    for (int column = 0; column <= row; ++column) {
      double sum = 0.0;
      for (int k = 0; k <= column; ++k) sum += at(row, k) * at(column, k);
      largest = fmax(largest, fabs(sum - element(row, column)));
    }
  }
  return largest;
}

int main(int argc, char** argv) {
  const int count = argc > 1 && strcmp(argv[1], "--count") == 0;
  tiles = argc > 1 + count ? atoi(argv[1 + count]) : 8;
  size = argc > 2 + count ? atoi(argv[2 + count]) : 32;
  if (tiles < 1 || size < 1 || tiles * size > 20000) {
    fprintf(stderr, "usage: %s [--count] [TILES [TILE_SIZE]]\n", argv[0]);
    return 2;
  }
  matrix = malloc(sizeof(double) * tiles * size * tiles * size);
  if (!matrix) return 1;
  fill();
  int threads = 1, tasks = 0;
#pragma omp parallel
  {
#pragma omp masked
    threads = omp_get_num_threads();
#pragma omp single
    tasks = factorise();
  }
  const double error = residual();
  const int good = error < 1e-9 * tiles * size;
  printf("matrix %d x %d, %d tasks, %s\n", tiles * size, tiles * size, tasks, good ? "correct" : "WRONG");
  if (count) {
    printf("count fork 3\ncount parallel %d\ncount for %d\ncount single %d\n", 3 * threads, 2 * threads, threads);
    printf("count masked 1\ncount taskwait 1\ncount barrier 0\n");
    printf("count task %d\ncount acquire 0\n", tasks);
  }
  free(matrix);
  return good ? 0 : 1;
}
