! A Fortran host program. It launches the kernels of vector.cu through the module that kbuild generates.
program main
  use, intrinsic :: iso_c_binding
  use vector_kernels_kernels
  implicit none

  ! The structure that the kernel takes by value.
  type, bind(C) :: range
    integer(c_int) :: first, last
  end type range

  integer(c_size_t), parameter :: count = 256
  real(c_float), target :: values(count)
  integer(c_int), target :: filled(count)
  real(c_double), target :: a(count), b(count), total(count)
  type(c_ptr) :: device, device_a, device_b, device_total
  integer(c_int) :: error
  integer :: i

  call kbuild_allocate(device, 4 * count, error)
  if (error /= 0) then
    print "(2a)", "fortran_host: skipped: ", kbuild_error_message(error)
    stop 77
  end if

  call cfill(2, 128, device, 7_c_int)
  call kbuild_copy(c_loc(filled), device, 4 * count, kbuild_to_host)
  if (any(filled /= 7_c_int)) error stop "fortran_host: cfill is wrong"

  values = 2.0_c_float
  call kbuild_copy(device, c_loc(values), 4 * count, kbuild_to_device)
  call vectors_scale([1, 1, 1], [128, 1], device, 3.0_c_float, &
      transfer(range(100_c_int, 200_c_int), 0_c_signed_char, 8))
  call kbuild_copy(c_loc(values), device, 4 * count, kbuild_to_host)
  call kbuild_release(device)
  do i = 1, int(count)
    if (abs(values(i) - merge(6.0_c_float, 2.0_c_float, i > 100 .and. i <= 200)) > 0) &
        error stop "fortran_host: scale is wrong"
  end do

  a = [(real(i, c_double), i = 1, int(count))]
  b = 3 * a
  call kbuild_allocate(device_a, 8 * count)
  call kbuild_allocate(device_b, 8 * count)
  call kbuild_allocate(device_total, 8 * count)
  call kbuild_copy(device_a, c_loc(a), 8 * count, kbuild_to_device)
  call kbuild_copy(device_b, c_loc(b), 8 * count, kbuild_to_device)
  call vectors_add_double(2, 128, device_a, device_b, device_total, int(count, c_int))
  call kbuild_copy(c_loc(total), device_total, 8 * count, kbuild_to_host)
  if (any(abs(total - 4 * a) > 0)) error stop "fortran_host: add is wrong"

  ! Launches fail with a message, or with a code for those who ask for it.
  call cfill(1, 4096, c_null_ptr, 7_c_int, error=error)
  if (error == 0) error stop "fortran_host: a block that is too large was launched"
  print "(a)", "fortran_host: all kernels are correct"
end program main
