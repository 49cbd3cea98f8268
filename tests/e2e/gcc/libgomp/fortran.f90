! SPDX-License-Identifier: BSD-3-Clause
! Fortran: loops, sections, workshare, single, tasks, locks and critical regions.
program constructs
  use omp_lib
  implicit none
  integer :: i, counter, inside, k
  integer(8) :: sum
  real(8) :: a(1000), b(1000)
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  sum = 0
  counter = 0
  inside = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  !$omp parallel do schedule(dynamic, 10) reduction(+:sum)
  do i = 1, 1000
    a(i) = i
    sum = sum + i
  end do
  !$omp end parallel do
  print *, 'sum', sum
  !$omp parallel private(k)
  !$omp do schedule(guided)
  do i = 1000, 1, -1
    b(i) = a(i) * 2
  end do
  !$omp end do
  !$omp do ordered schedule(runtime)
  do i = 1, 50
    !$omp ordered
    counter = counter + 1
    !$omp end ordered
  end do
  !$omp end do nowait
  !$omp barrier
  !$omp sections
  !$omp section
  a(1) = 5
  !$omp section
  a(2) = 6
  !$omp end sections
  !$omp workshare
  b = b + a
  !$omp end workshare
  !$omp single
  k = 3
  !$omp end single copyprivate(k)
  do i = 1, 20
    call omp_set_lock(lock)
    counter = counter + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nest)
    call omp_set_nest_lock(nest)
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
    do while (.not. omp_test_lock(lock))
    end do
    call omp_unset_lock(lock)
    !$omp critical (mine)
    inside = inside + k - 2
    !$omp end critical (mine)
  end do
  !$omp end parallel
  print *, 'counter', (counter - 50) / omp_get_max_threads(), inside / omp_get_max_threads(), nint(b(1000)), nint(b(1))
  sum = 0
  !$omp parallel
  !$omp single
  do i = 1, 30
    !$omp task firstprivate(i) shared(sum) depend(inout: sum)
    sum = sum + i
    !$omp end task
  end do
  !$omp taskwait
  !$omp taskloop grainsize(3) shared(sum)
  do i = 1, 30
    !$omp atomic
    sum = sum + i
  end do
  !$omp end taskloop
  !$omp end single
  !$omp end parallel
  print *, 'tasks', sum
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
end program
