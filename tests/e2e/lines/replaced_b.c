// SPDX-License-Identifier: BSD-3-Clause
// A plug-in: a region of its own, and constructs for the region of who calls it.
// Another one, whose lines are others: it is loaded where the first was.
//
//
//
//
//
static int sum;

int region(void) {
  int members = 0;
#pragma omp parallel reduction(+ : members)
  members += 1;
  return members;
}

int alone(void) {
#pragma omp taskgroup
  ++sum;
  return sum;
}

int orphaned(void) {
#pragma omp for schedule(static)
  for (int i = 0; i < 8; ++i) {
#pragma omp critical
    ++sum;
  }
  return sum;
}
