/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives a process the clocks of another host. OTHER_CLOCK="T0 NS PPM WANDER PERIOD": from T0 (ns of CLOCK_MONOTONIC) on
 * NS away, PPM faster, going to and fro by WANDER ns in PERIOD s. The kernel's own clocks are still there by syscall().
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double t0, away, ppm, wander, period = 1;

__attribute__((constructor)) static void begin(void) {
  const char* text = getenv("OTHER_CLOCK");
  if (text != NULL) sscanf(text, "%lf %lf %lf %lf %lf", &t0, &away, &ppm, &wander, &period);
}

static long long ns_of(struct timespec t) {
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec* out) {
  const int result = (int)syscall(SYS_clock_gettime, clock, out);
  if (result != 0 || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)) return result;
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  const double since = (double)ns_of(now) - t0;
  const double shift = away + since * ppm * 1e-6 + wander * sin(2 * M_PI * since * 1e-9 / period);
  const long long told = ns_of(*out) + (long long)shift;
  out->tv_sec = told / 1000000000LL;
  out->tv_nsec = told % 1000000000LL;
  return 0;
}
