/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts what a program asks of MPI, by MPI's own profiling interface and header, independently of the tool: calls by
 * name, messages and bytes by partner and tag, bytes of collective and one-sided operations. Preloaded before the
 * tool's library. Writes $COUNTS.<rank> in MPI_Finalize. One lock for all: this is no tool. */
#include "counter.h"

pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER;
__thread int depth;

/* Tables of sums by text. */
struct row {
  char key[64];
  long n, a, b;
};
enum { most_rows = 1 << 17 };
static struct row rows[most_rows]; /* each where its key's hash says, or in the next free place; no key: free */
static int used;

void add(const char* key, long a, long b) {
  pthread_mutex_lock(&counter_lock);
  unsigned i = 0;
  for (const char* c = key; *c != '\0'; ++c) i = i * 31 + (unsigned char)*c;
  for (i %= most_rows; rows[i].key[0] != '\0' && strcmp(rows[i].key, key) != 0; i = (i + 1) % most_rows) {
  }
  if (rows[i].key[0] == '\0') {
    if (++used == most_rows || strlen(key) >= sizeof rows->key) abort();
    strcpy(rows[i].key, key);
  }
  ++rows[i].n;
  rows[i].a += a;
  rows[i].b += b;
  pthread_mutex_unlock(&counter_lock);
}

int (*next_of(const char* name))() {
  return (int (*)())dlsym(RTLD_NEXT, name);
}

long bytes_of(MPI_Datatype type, long count) {
  int size = 0;
  ++depth;
  PMPI_Type_size(type, &size);
  --depth;
  return size * count;
}

/* Communicators: only how many. */
#define MADE(name, parameters, ...)                \
  int MPI_##name parameters {                      \
    int result;                                    \
    NEXT(MPI_##name, __VA_ARGS__)                  \
    INNER(next(__VA_ARGS__));                      \
    if (*made != MPI_COMM_NULL) add("made", 0, 0); \
    return result;                                 \
  }                                                \
  ALSO(MPI_##name)
MADE(Comm_dup, (MPI_Comm comm, MPI_Comm* made), comm, made)
MADE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), comm, color, key, made)
MADE(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), comm, group, made)
MADE(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made), comm, group, tag, made)
MADE(Cart_create, (MPI_Comm comm, int n, const int sizes[], const int periods[], int reorder, MPI_Comm* made), comm, n,
     sizes, periods, reorder, made)
MADE(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm* made), comm, remain, made)
MADE(Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm* made), comm, leader,
     peer, remote, tag, made)
MADE(Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request), comm, made, request)
MADE(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), comm, info, made)
MADE(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made), comm, type, key, info, made)
MADE(Graph_create, (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm* made), comm, n,
     index, edges, reorder, made)
MADE(Dist_graph_create,
     (MPI_Comm comm, int n, const int sources[], const int degrees[], const int targets[], const int weights[],
      MPI_Info info, int reorder, MPI_Comm* made),
     comm, n, sources, degrees, targets, weights, info, reorder, made)
MADE(Dist_graph_create_adjacent,
     (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out, const int targets[],
      const int out_weights[], MPI_Info info, int reorder, MPI_Comm* made),
     comm, in, sources, in_weights, out, targets, out_weights, info, reorder, made)
#if MPI_VERSION >= 4
MADE(Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request), comm, info, made,
     request)
MADE(Comm_create_from_group, (MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm* made),
     group, tag, info, handler, made)
MADE(Intercomm_create_from_groups,
     (MPI_Group local, int leader, MPI_Group remote, int remote_leader, const char* tag, MPI_Info info,
      MPI_Errhandler handler, MPI_Comm* made),
     local, leader, remote, remote_leader, tag, info, handler, made)
#endif
MADE(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made), comm, high, made)

/* Ranks of a group whose ranks in another were asked for. The tool asks this too, so it is no call of the program's. */
int MPI_Group_translate_ranks(MPI_Group of, int n, const int ranks[], MPI_Group in, int found[]) {
  int result;
  static __typeof__(&MPI_Group_translate_ranks) next;
  if (next == NULL) next = (__typeof__(&MPI_Group_translate_ranks))next_of("PMPI_Group_translate_ranks");
  if (depth == 0) add("translated", n, 0);
  return INNER(next(of, n, ranks, in, found));
}
ALSO(MPI_Group_translate_ranks)

static void write_down(void) {
  int rank = 0;
  char name[4096];
  ++depth;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  --depth;
  const char* where = getenv("COUNTS");
  snprintf(name, sizeof name, "%s.%d", where != NULL ? where : "counts", rank);
  FILE* file = fopen(name, "w");
  if (file == NULL) return;
  for (int i = 0; i < most_rows; ++i)
    if (rows[i].key[0] != '\0') fprintf(file, "%s|%ld|%ld|%ld\n", rows[i].key, rows[i].n, rows[i].a, rows[i].b);
  write_pending(file);
  fclose(file);
}

int MPI_Finalize(void) {
  int result;
  static int (*next)(void);
  if (next == NULL) next = (int (*)(void))next_of("PMPI_Finalize");
  if (depth > 0) return next();
  write_down();
  return INNER(next());
}
ALSO(MPI_Finalize)
