! SPDX-License-Identifier: BSD-3-Clause
! With -fdefault-integer-8 the call is omp_set_num_threads_8_, which libomp does not have.
program int8
  use omp_lib
  implicit none
  integer :: n
  n = 0
  call omp_set_num_threads(3)
  !$omp parallel reduction(+:n)
  n = n + 1
  !$omp end parallel
  print *, 'threads', n
  print '(a,i0,a)', 'kept regions 1 members ', n, ' tasks 0'
end program
