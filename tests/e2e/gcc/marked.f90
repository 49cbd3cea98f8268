! SPDX-License-Identifier: BSD-3-Clause
! The constructs of Fortran, as marked.c.
program marked
  use omp_lib
  implicit none
  integer :: i, k, x(10), a, b
  integer(8) :: total = 0, sums = 0
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nested
  real(16) :: wide = 0
  x = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nested)
!$omp parallel  ! parallel=T
!$omp do schedule(dynamic, 3)  ! for~=T
  do i = 1, 40
    call add(i)
  end do
!$omp end do
  call add(1)
  call add(2)
  call add(3)
!$omp do schedule(guided)  ! for~=T
  do i = 1, 40
    call add(i)
  end do
!$omp end do nowait
  call add(1)
  call add(2)
  call add(3)
!$omp do ordered schedule(dynamic)  ! for~=T
  do i = 1, 6
!$omp ordered  ! ordered?=6, ordered sblock?=6
    call add(i)
!$omp end ordered
  end do
!$omp end do
  call add(1)
  call add(2)
  call add(3)
!$omp sections  ! sections~=T
!$omp section
  call add(1)
!$omp section
  call add(2)
!$omp end sections
  call add(1)
  call add(2)
!$omp single  ! single~!14=T, single sblock~!14=1
  call add(4)
!$omp end single
  call add(1)
!$omp workshare
  x = x + 1
!$omp end workshare
!$omp critical  ! critical=T, critical sblock=T
  sums = sums + 1
!$omp end critical
!$omp critical (named)  ! critical=T, critical sblock=T
  sums = sums + 1
!$omp end critical (named)
!$omp atomic  ! atomic?=T
  wide = wide + 1
!$omp barrier  ! barrier=T
  call omp_set_lock(lock)           ! omp_set_lock=T
  call omp_unset_lock(lock)         ! omp_unset_lock=T
  call omp_set_nest_lock(nested)    ! omp_set_nest_lock=T
  call omp_unset_nest_lock(nested)  ! omp_unset_nest_lock=T
!$omp masked
  call add(1)
!$omp end masked
!$omp end parallel
!$omp parallel do schedule(dynamic, 2)  ! parallel=T, for=T
  do i = 1, 20
    call add(i)
  end do
!$omp end parallel do
!$omp parallel do collapse(2) reduction(+:sums)  ! parallel=T
  do i = 1, 4
    do k = 1, 5
      sums = sums + i * k
    end do
  end do
!$omp end parallel do
!$omp parallel sections  ! parallel=T, sections=T
!$omp section
  call add(1)
!$omp section
  call add(2)
!$omp end parallel sections
!$omp parallel workshare  ! parallel=T
  x = x * 2
!$omp end parallel workshare
!$omp parallel  ! parallel=T
!$omp single
  do i = 1, 5
!$omp task firstprivate(i)  ! create task=5, task=5
    call add(i)
!$omp end task
  end do
!$omp taskwait  ! taskwait=1
!$omp task depend(out: a) shared(a) priority(2)  ! create task=1, task=1
  a = 1
!$omp end task
!$omp task depend(in: a) shared(a, b) if(.false.)  ! create task=1, task=1
  b = a
!$omp end task
!$omp taskgroup  ! taskgroup?=1
!$omp task untied  ! create task=1, task untied=1
  call add(3)
!$omp end task
!$omp end taskgroup
!$omp taskloop grainsize(4)  ! taskloop=1, taskgroup=1, task=5
  do i = 1, 20
    call add(i)
  end do
!$omp end taskloop
!$omp end single
!$omp end parallel
!$omp target map(tofrom: x)  ! target=1
  x(1) = 1
!$omp end target
!$omp target enter data map(to: x)  ! target enter data=1
!$omp target update to(x)  ! target update=1
!$omp target exit data map(from: x)  ! target exit data=1
!$omp teams num_teams(2)  ! teams=2
  call add(1)
!$omp end teams
  call omp_destroy_lock(lock)         ! omp_destroy_lock=1
  call omp_destroy_nest_lock(nested)  ! omp_destroy_nest_lock=1
  print *, total > 0, wide > 0
contains
  subroutine add(n)
    integer, intent(in) :: n
!$omp atomic
    total = total + n
  end subroutine
end program
