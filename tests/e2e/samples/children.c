// SPDX-License-Identifier: BSD-3-Clause
// Processes that a program makes, in each of the ways that there are: each burns processor time in a function of its
// own and says what it burnt, as shares.c.
//   children fork...      the ways by their names, one after the other
//   children exec NAME    what those run that replace themselves
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

BURN(burn_parent, 20000)
BURN(burn_fork, 20000)
BURN(burn_fork_serial, 20000)
BURN(burn_quick_exit, 20000)
BURN(burn_killed, 20000)
BURN(burn_killed_inside, 20000)
BURN(burn_grandchild, 20000)
BURN(burn_fork_exec, 20000)
BURN(burn_vfork_exec, 20000)
BURN(burn_spawn, 20000)

static const struct {
  const char* name;
  double (*burn)(long long);
  long long* ns;
} parts[] = {{"parent", burn_parent, &burn_parent_ns},
             {"fork", burn_fork, &burn_fork_ns},
             {"fork_serial", burn_fork_serial, &burn_fork_serial_ns},
             {"quick_exit", burn_quick_exit, &burn_quick_exit_ns},
             {"killed", burn_killed, &burn_killed_ns},
             {"killed_inside", burn_killed_inside, &burn_killed_inside_ns},
             {"grandchild", burn_grandchild, &burn_grandchild_ns},
             {"fork_exec", burn_fork_exec, &burn_fork_exec_ns},
             {"vfork_exec", burn_vfork_exec, &burn_vfork_exec_ns},
             {"spawn", burn_spawn, &burn_spawn_ns}};

enum { each_ns = 300000000 };

static void say(const char* name, long long ns) {
  char line[80];
  const int length = snprintf(line, sizeof line, "burn_%s %lld\n", name, ns);
  if (write(1, line, length) != length) _exit(3);
}

// No event comes before it: the samples are what is seen last.
static void die_when_all_have_burnt(const char* name, long long* ns) {
  while (__atomic_load_n(ns, __ATOMIC_RELAXED) < 2LL * each_ns) usleep(1000);
  if (omp_get_thread_num() != 0) pause();
  say(name, *ns);
  raise(SIGKILL);
}

static void burn(const char* name) {
  for (unsigned p = 0; p < sizeof parts / sizeof *parts; ++p) {
    if (strcmp(parts[p].name, name) != 0) continue;
    const int dies = strcmp(name, "killed_inside") == 0;
#pragma omp parallel num_threads(2)
    {
      parts[p].burn(each_ns);
      if (dies) die_when_all_have_burnt(name, parts[p].ns);
    }
    if (strstr(name, "serial") != NULL) parts[p].burn(each_ns);
    say(name, *parts[p].ns);
  }
}

static void make(const char* how, const char* self) {
  char* const command[] = {(char*)self, "exec", (char*)how, NULL};
  pid_t child = -1;
  if (strcmp(how, "spawn") == 0) {
    if (posix_spawn(&child, self, NULL, NULL, command, environ) != 0) _exit(4);
  } else if (strcmp(how, "vfork_exec") == 0) {
    child = vfork();
    if (child == 0) {
      execv(self, command);
      _exit(4);
    }
  } else {
    child = fork();
    if (child == 0) {
      if (strcmp(how, "fork_exec") == 0) execv(self, command);
      if (strcmp(how, "grandchild") == 0) {
        const pid_t grandchild = fork();
        if (grandchild != 0) _exit(waitpid(grandchild, NULL, 0) == grandchild ? 0 : 5);
      }
      burn(how);
      if (strcmp(how, "quick_exit") == 0) _exit(0);
      if (strcmp(how, "killed") == 0) raise(SIGKILL);
      exit(0);
    }
  }
  if (waitpid(child, NULL, 0) != child) _exit(5);
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "exec") == 0) return burn(argv[2]), 0;
  burn("parent");
  for (int a = 1; a < argc; ++a) make(argv[a], argv[0]);
  return 0;
}
