#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs of Debian that GCC compiled with OpenMP, alone and under `tracer run` without --runtime: the same results, valid
# archives with named regions, no libomp mapped. Opt-in: it downloads some 100 MB of packages and unpacks them into a
# scratch directory; nothing is installed. Prints a table; the status is 1 where a row is not as it must be.
#
#   tests/gomp/real_programs.sh TRACER [SCRATCH]     THREADS=2 PROGRAMS="gromacs lammps graphicsmagick data.table numpy scikit-learn"
set -u
: "${1:?usage: real_programs.sh TRACER [SCRATCH]}"
tracer=$(readlink -f "$1")
scratch=${2:-$(mktemp -d)}
threads=${THREADS:-2}
mkdir -p "$scratch/debs" "$scratch/root"
cd "$scratch" || exit 2
root=$PWD/root

fetch() { # the packages with what they need and the machine lacks
  local names
  names=$(apt-get install -s --no-install-recommends "$@" 2>/dev/null | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
  (cd debs && for name in $names; do
    ls "${name}"_*.deb >/dev/null 2>&1 || apt-get -o APT::Sandbox::User=root download -qq "$name" >/dev/null || exit 1
    dpkg -x "$(ls "${name}"_*.deb | head -1)" "$root" || exit 1
  done)
}
libraries=$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu/openblas-pthread:$root/usr/lib/R/lib
export OMP_NUM_THREADS=$threads OMP_DYNAMIC=false OPENBLAS_NUM_THREADS=1 LD_LIBRARY_PATH=$libraries:$root/usr/lib

bad=0
# row NAME RESULT COMMAND...: RESULT is a file that the command writes, or a filter of its output
row() {
  local name=$1 result=$2 && shift 2
  local expected found status wanted mapped=no pid verdict
  rm -rf "$name.trace"
  "$@" >"$name.alone" 2>"$name.alone.errors"
  wanted=$?
  expected=$(eval "$result" <"$name.alone" | sha256sum)
  "$tracer" run -o "$name.trace" -- "$@" >"$name.traced" 2>"$name.traced.errors" &
  pid=$!
  while kill -0 $pid 2>/dev/null; do
    for task in $(pgrep -P $pid); do grep -qE '/lib(iomp5|omp)[.0-9]*so' "/proc/$task/maps" 2>/dev/null && mapped=yes; done
    sleep 0.05
  done
  wait $pid
  status=$?
  found=$(eval "$result" <"$name.traced" | sha256sum)
  "$tracer" check "$name.trace" >"$name.check" 2>&1
  verdict=$?
  [ "$found" = "$expected" ] && found=same || { found=differ && bad=1; }
  [ $wanted = 0 ] && [ $status = 0 ] && [ $verdict = 0 ] && [ $mapped = no ] || bad=1
  local regions
  regions=$("$tracer" report --json "$name.trace" 2>/dev/null | python3 -c '
import json, sys
report = json.load(sys.stdin)
rows = [r for r in report["constructs"] if r["construct"] == "parallel"]
named = [r for r in rows if r.get("place") or r.get("source") or r.get("function") or r.get("name")]
print(report["callbacks"].get("parallel_begin", 0), "|", len(rows), "|", len(named))' 2>/dev/null || echo "? | ? | ?")
  echo "| $name | $wanted, $status | $found | $([ $verdict = 0 ] && echo valid || echo "not valid") | $mapped | $regions |"
}

echo "| program | status alone, traced | results | archive | libomp mapped | regions | constructs | named |"
echo "|---|---|---|---|---|---|---|---|"
for program in ${PROGRAMS:-graphicsmagick lammps data.table numpy scikit-learn gromacs}; do
  case $program in
    graphicsmagick)
      fetch graphicsmagick || { echo "| $program | not to be had |" && bad=1 && continue; }
      row graphicsmagick 'cat picture.ppm' "$root/usr/bin/gm" convert -size 1200x900 gradient:red-blue -blur 0x3 \
        -sharpen 0x2 -rotate 17 -resize 800x600 picture.ppm
      ;;
    lammps)
      fetch lammps || { echo "| $program | not to be had |" && bad=1 && continue; }
      cat >melt.in <<'IN'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 50
run 200
IN
      row lammps "grep -E '^ +[0-9]+ +[-0-9.]+ '" "$root/usr/bin/lmp" -log none -in melt.in
      ;;
    data.table)
      fetch r-cran-data.table || { echo "| $program | not to be had |" && bad=1 && continue; }
      cat >table.R <<'IN'
library(data.table)
setDTthreads(as.integer(Sys.getenv("OMP_NUM_THREADS")))
set.seed(1)
d <- data.table(k = sample(1000L, 1e6, TRUE), g = sample(letters, 1e6, TRUE), v = runif(1e6))
setkey(d, k, g)
fwrite(d[, .(n = .N, s = sum(v)), by = .(k, g)], "table.csv")
print(fread("table.csv")[, .(sum(n), sum(s))], digits = 15)
print(unlist(parallel::mclapply(1:4, function(i) sum(d[k %% 4 == i - 1, v]), mc.cores = 2)), digits = 15)
IN
      home=$([ -d "$root/usr/lib/R/bin" ] && echo "$root/usr/lib/R" || echo /usr/lib/R)
      [ -d "$root/etc/R" ] && ln -sfn "$root/etc/R" "$home/etc"  # the package's link leads to the machine's /etc
      row data.table 'cat - table.csv' env EDITOR=vi PAGER=cat R_HOME="$home" R_LIBS="$root/usr/lib/R/site-library:$root/usr/lib/R/library" \
        R_SHARE_DIR="$root/usr/share/R/share" "$home/bin/exec/R" --no-echo --no-restore --vanilla --file=table.R
      ;;
    numpy)
      fetch python3-numpy libopenblas0-openmp || { echo "| $program | not to be had |" && bad=1 && continue; }
      cat >product.py <<'IN'
import hashlib
import numpy
r = numpy.random.default_rng(1)
a, b = r.random((500, 400)), r.random((400, 500))
for result in (a @ b, numpy.linalg.solve(a[:400], b[:, :400]), numpy.linalg.svd(a[:200])[1], numpy.linalg.cholesky(a.T @ a)):
    print(result.shape, hashlib.sha256(numpy.ascontiguousarray(result)).hexdigest())
IN
      row numpy 'cat' env OPENBLAS_NUM_THREADS="$threads" LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu/openblas-openmp:$libraries" \
        PYTHONPATH="$root/usr/lib/python3/dist-packages" /usr/bin/python3 product.py
      ;;
    scikit-learn)
      fetch python3-sklearn || { echo "| $program | not to be had |" && bad=1 && continue; }
      cat >learn.py <<'IN'
import hashlib
import numpy
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import pairwise_distances_argmin
r = numpy.random.default_rng(1)
x = r.random((3000, 8))
y = x @ numpy.arange(8)
trees = HistGradientBoostingRegressor(max_iter=20, random_state=1).fit(x, y).predict(x)
near = pairwise_distances_argmin(x, x[:100])
groups = KMeans(5, n_init=1, random_state=1, algorithm="lloyd").fit(x).labels_
for result in (trees, near, groups):
    print(result.shape, hashlib.sha256(numpy.ascontiguousarray(result)).hexdigest())
IN
      row scikit-learn 'cat' env PYTHONPATH="$root/usr/lib/python3/dist-packages" /usr/bin/python3 learn.py
      ;;
    gromacs)
      fetch gromacs || { echo "| $program | not to be had |" && bad=1 && continue; }
      export GMXLIB=$root/usr/share/gromacs/top GMXDATA=$root/usr/share/gromacs GMX_MAXBACKUP=-1
      printf '#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spc.itp"\n[ system ]\nwater\n[ molecules ]\n' >water.top
      printf 'integrator = md\ndt = 0.001\nnsteps = 100\nnstlist = 10\ncutoff-scheme = Verlet\ncoulombtype = PME\ngen-vel = yes\ngen-seed = 1\nnstenergy = 10\n' >water.mdp
      "$root/usr/bin/gmx" -quiet solvate -cs spc216.gro -box 3 3 3 -o water.gro -p water.top >gromacs.setup 2>&1 &&
        "$root/usr/bin/gmx" -quiet grompp -f water.mdp -c water.gro -p water.top -o water.tpr -maxwarn 5 >>gromacs.setup 2>&1 ||
        { tail -5 gromacs.setup && bad=1; }
      row gromacs 'grep -v Generated after.gro' "$root/usr/bin/gmx" -quiet mdrun -s water.tpr -c after.gro -ntmpi 1 \
        -ntomp "$threads" -reprod -nb cpu -pin off
      ;;
  esac
done
exit $bad
