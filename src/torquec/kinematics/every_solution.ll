; All solutions of one pose: loops that call the compiled parts of `native_elimination` through the pointers below.

@equations = global ptr null
@sample = global ptr null
@interpolant = global ptr null
@angles = global ptr null
@interpolated = global ptr null
@classify = global ptr null
@narrow = global ptr null
@root = global ptr null
@step = global ptr null
@finish = global ptr null

@turns = internal constant [@TURN_NUMBERS@ x double] [@TURNS@]

; Number of cells with one root so far, scans still allowed, and whether a root may be missing; the interpolant with its
; noise; the cells (begin, width, and f at both ends of each); the equations.
%search = type { i64, i64, i64, [@INTERPOLANT@ x double], [@CELL_NUMBERS@ x double], [@EQUATIONS@ x double] }

@exact = internal constant double 0.0

; Classify eight cells from %low on, by the interpolant, or by direct values where the interpolant is not precise enough.
; Undecided cells are divided into eight, up to @LEVELS@ times.
define internal void @scan(ptr %search, double %low, double %width, i64 %level, i1 %direct) nounwind {
entry:
  %span = alloca [2 x double]
  %turns = alloca [22 x double]
  %kinds = alloca [9 x double]
  %values = alloca [11 x double]
  %bracket = alloca [16 x double]
  %f = alloca double
  %in = alloca [2 x ptr]
  %out = alloca ptr
  %at = alloca i64
  %steps_at = alloca i64
  %count_at = getelementptr %search, ptr %search, i64 0, i32 0
  %left_at = getelementptr %search, ptr %search, i64 0, i32 1
  %bad_at = getelementptr %search, ptr %search, i64 0, i32 2
  %interpolant_at = getelementptr %search, ptr %search, i64 0, i32 3
  %equations_at = getelementptr %search, ptr %search, i64 0, i32 5
  %noise_at = getelementptr double, ptr %interpolant_at, i64 @NOISE_PLACE@
  %in_1 = getelementptr ptr, ptr %in, i64 1
  %sample_code = load ptr, ptr @sample
  %scans = load i64, ptr %left_at
  %fewer = sub i64 %scans, 1
  store i64 %fewer, ptr %left_at
  %deep = icmp ugt i64 %level, @LEVELS@
  %spent = icmp slt i64 %fewer, 0
  %end = or i1 %deep, %spent
  br i1 %end, label %doubt, label %look
doubt:
  store i64 1, ptr %bad_at
  ret void
look:
  store double %low, ptr %span
  %width_at = getelementptr double, ptr %span, i64 1
  store double %width, ptr %width_at
  store ptr %span, ptr %in
  store ptr %turns, ptr %out
  %angles_code = load ptr, ptr @angles
  call void %angles_code(ptr %in, ptr %out)
  store i64 0, ptr %at
  br i1 %direct, label %sampling, label %interpolate
interpolate:
  store ptr %interpolant_at, ptr %in
  store ptr %turns, ptr %in_1
  store ptr %values, ptr %out
  %interpolated_code = load ptr, ptr @interpolated
  call void %interpolated_code(ptr %in, ptr %out)
  br label %decide
sampling:
  %i = load i64, ptr %at
  %i_next = add i64 %i, 1
  store i64 %i_next, ptr %at
  %turn_place = shl i64 %i, 1
  %turn = getelementptr double, ptr %turns, i64 %turn_place
  %value_at = getelementptr double, ptr %values, i64 %i
  store ptr %equations_at, ptr %in
  store ptr %turn, ptr %in_1
  store ptr %value_at, ptr %out
  call void %sample_code(ptr %in, ptr %out)
  %sampled = icmp eq i64 %i_next, 11
  br i1 %sampled, label %decide, label %sampling
decide:
  %noise = select i1 %direct, ptr @exact, ptr %noise_at
  store ptr %values, ptr %in
  store ptr %noise, ptr %in_1
  store ptr %kinds, ptr %out
  %classify_code = load ptr, ptr @classify
  call void %classify_code(ptr %in, ptr %out)
  %largest_at = getelementptr double, ptr %kinds, i64 8
  %largest = load double, ptr %largest_at
  %precise = fcmp olt double %largest, 2.5
  %go_on = or i1 %precise, %direct
  br i1 %go_on, label %begin, label %again
again:
  call void @scan(ptr %search, double %low, double %width, i64 %level, i1 true)
  ret void
begin:
  store i64 0, ptr %at
  br label %each
each:
  %k = load i64, ptr %at
  %done = icmp eq i64 %k, 8
  br i1 %done, label %finished, label %one
finished:
  ret void
one:
  %next = add i64 %k, 1
  store i64 %next, ptr %at
  %kind_at = getelementptr double, ptr %kinds, i64 %k
  %kind = load double, ptr %kind_at
  %number = sitofp i64 %k to double
  %offset = fmul double %number, %width
  %start = fadd double %low, %offset
  %none = fcmp olt double %kind, 0.5
  br i1 %none, label %each, label %some
some:
  %simple = fcmp olt double %kind, 1.5
  br i1 %simple, label %keep, label %cut
cut:
  %part = fmul double %width, 0.125
  %deeper = add i64 %level, 1
  call void @scan(ptr %search, double %start, double %part, i64 %deeper, i1 %direct)
  br label %each
keep:
  %count = load i64, ptr %count_at
  %full = icmp uge i64 %count, @DEGREE@
  br i1 %full, label %doubt, label %write
write:
  %more = add i64 %count, 1
  store i64 %more, ptr %count_at
  %place = shl i64 %count, 2
  %cell = getelementptr %search, ptr %search, i64 0, i32 4, i64 %place
  store double %start, ptr %cell
  %cell_1 = getelementptr double, ptr %cell, i64 1
  store double %width, ptr %cell_1
  %left_value_at = getelementptr double, ptr %values, i64 %next
  %left = load double, ptr %left_value_at
  %cell_2 = getelementptr double, ptr %cell, i64 2
  store double %left, ptr %cell_2
  %right_value_at = getelementptr double, ptr %left_value_at, i64 1
  %right = load double, ptr %right_value_at
  %cell_3 = getelementptr double, ptr %cell, i64 3
  store double %right, ptr %cell_3
  br i1 %direct, label %narrowing, label %each

  ; false position on direct values; the cell becomes the root, without width
narrowing:
  %stop = fadd double %start, %width
  store double %start, ptr %bracket
  %bracket_1 = getelementptr double, ptr %bracket, i64 1
  store double %stop, ptr %bracket_1
  %bracket_2 = getelementptr double, ptr %bracket, i64 2
  store double %left, ptr %bracket_2
  %bracket_3 = getelementptr double, ptr %bracket, i64 3
  store double %right, ptr %bracket_3
  %bracket_4 = getelementptr double, ptr %bracket, i64 4
  store double 0.0, ptr %bracket_4
  %bracket_5 = getelementptr double, ptr %bracket, i64 5
  store double %stop, ptr %bracket_5
  store double %right, ptr %f
  store i64 0, ptr %steps_at
  br label %narrow_step
narrow_step:
  %taken = load i64, ptr %steps_at
  %taken_next = add i64 %taken, 1
  %from_half = and i64 %taken, 1
  %to_half = and i64 %taken_next, 1
  %from_place = shl i64 %from_half, 3
  %to_place = shl i64 %to_half, 3
  %wider = getelementptr double, ptr %bracket, i64 %from_place
  %tighter = getelementptr double, ptr %bracket, i64 %to_place
  %angle_at = getelementptr double, ptr %tighter, i64 5
  %angle_turn = getelementptr double, ptr %tighter, i64 6
  store ptr %wider, ptr %in
  store ptr %f, ptr %in_1
  store ptr %tighter, ptr %out
  %narrow_code = load ptr, ptr @narrow
  call void %narrow_code(ptr %in, ptr %out)
  store i64 %taken_next, ptr %steps_at
  %narrow_done = icmp eq i64 %taken_next, @FALSE_POSITION@
  br i1 %narrow_done, label %narrowed, label %narrow_value
narrow_value:
  store ptr %equations_at, ptr %in
  store ptr %angle_turn, ptr %in_1
  store ptr %f, ptr %out
  call void %sample_code(ptr %in, ptr %out)
  br label %narrow_step
narrowed:
  %exact_root = load double, ptr %angle_at
  store double %exact_root, ptr %cell
  store double 0.0, ptr %cell_1
  br label %each
}

; rotation, position, near -> q (@DEGREE@, @N@), rest (@DEGREE@ + 1, 3): see `QuickArmPoses`; the last row holds the
; defect of the rotation, the number of solutions, and 1 where these are all.
define void @packed(ptr %inputs, ptr %outputs) nounwind {
entry:
  %search = alloca %search
  %samples = alloca [@SAMPLES@ x double]
  %q = alloca [@N@ x double]
  %moved = alloca [@N@ x double]
  %error = alloca [2 x double]
  %root_at = alloca [2 x double]
  %off_at = alloca double
  %last_at = alloca double
  %first_at = alloca double
  %in = alloca [8 x ptr]
  %out = alloca [4 x ptr]
  %at = alloca i64
  %steps_at = alloca i64
  %least_at = alloca double
  %in_1 = getelementptr ptr, ptr %in, i64 1
  %in_2 = getelementptr ptr, ptr %in, i64 2
  %in_3 = getelementptr ptr, ptr %in, i64 3
  %in_4 = getelementptr ptr, ptr %in, i64 4
  %in_5 = getelementptr ptr, ptr %in, i64 5
  %out_1 = getelementptr ptr, ptr %out, i64 1
  %out_2 = getelementptr ptr, ptr %out, i64 2
  %out_3 = getelementptr ptr, ptr %out, i64 3
  %rotation = load ptr, ptr %inputs
  %position_at = getelementptr ptr, ptr %inputs, i64 1
  %position = load ptr, ptr %position_at
  %near_at = getelementptr ptr, ptr %inputs, i64 2
  %near = load ptr, ptr %near_at
  %q_out = load ptr, ptr %outputs
  %rest_at = getelementptr ptr, ptr %outputs, i64 1
  %rest = load ptr, ptr %rest_at
  %defect = getelementptr double, ptr %rest, i64 @LAST_ROW@
  %found_at = getelementptr double, ptr %defect, i64 1
  %all_at = getelementptr double, ptr %defect, i64 2
  %count_at = getelementptr %search, ptr %search, i64 0, i32 0
  %left_at = getelementptr %search, ptr %search, i64 0, i32 1
  %bad_at = getelementptr %search, ptr %search, i64 0, i32 2
  %interpolant_at = getelementptr %search, ptr %search, i64 0, i32 3
  %parts = getelementptr %search, ptr %search, i64 0, i32 5
  store i64 0, ptr %count_at
  store i64 @SCANS@, ptr %left_at
  store i64 0, ptr %bad_at
  store double 0.0, ptr %found_at
  store double 0.0, ptr %all_at

  ; the equations in the hidden joint, and the defect of the rotation
  store ptr %rotation, ptr %in
  store ptr %position, ptr %in_1
  store ptr %near, ptr %in_2
  store ptr %parts, ptr %out
  store ptr %defect, ptr %out_1
  %equations_code = load ptr, ptr @equations
  call void %equations_code(ptr %in, ptr %out)

  ; the determinant at @SAMPLES@ angles
  store ptr %parts, ptr %in
  %sample_code = load ptr, ptr @sample
  store i64 0, ptr %at
  br label %sampling
sampling:
  %s = load i64, ptr %at
  %turn_place = shl i64 %s, 1
  %turn = getelementptr double, ptr @turns, i64 %turn_place
  store ptr %turn, ptr %in_1
  %sample_at = getelementptr double, ptr %samples, i64 %s
  store ptr %sample_at, ptr %out
  call void %sample_code(ptr %in, ptr %out)
  %s_next = add i64 %s, 1
  store i64 %s_next, ptr %at
  %sampled = icmp eq i64 %s_next, @SAMPLES@
  br i1 %sampled, label %interpolate, label %sampling

interpolate:
  store ptr %samples, ptr %in
  store ptr %interpolant_at, ptr %out
  %interpolant_code = load ptr, ptr @interpolant
  call void %interpolant_code(ptr %in, ptr %out)
  store i64 0, ptr %at
  br label %scanning
scanning:
  %b = load i64, ptr %at
  %b_number = sitofp i64 %b to double
  %b_offset = fmul double %b_number, @BLOCK@
  %b_low = fadd double %b_offset, @START@
  call void @scan(ptr %search, double %b_low, double @WIDTH@, i64 0, i1 false)
  %b_next = add i64 %b, 1
  store i64 %b_next, ptr %at
  %bad_1 = load i64, ptr %bad_at
  %doubtful = icmp ne i64 %bad_1, 0
  br i1 %doubtful, label %give_up, label %scanned
give_up:
  ret void
scanned:
  %b_done = icmp eq i64 %b_next, @BLOCKS@
  br i1 %b_done, label %solve, label %scanning

solve:
  %count = load i64, ptr %count_at
  %odd = and i64 %count, 1
  %uneven = icmp ne i64 %odd, 0
  br i1 %uneven, label %give_up, label %begin
begin:
  %root_code = load ptr, ptr @root
  %step_code = load ptr, ptr @step
  %finish_code = load ptr, ptr @finish
  store i64 0, ptr %at
  br label %roots
roots:
  %k = load i64, ptr %at
  %k_next = add i64 %k, 1
  store i64 %k_next, ptr %at
  %k_done = icmp eq i64 %k, %count
  br i1 %k_done, label %closing, label %rooting
rooting:
  %place = shl i64 %k, 2
  %cell = getelementptr %search, ptr %search, i64 0, i32 4, i64 %place
  store ptr %parts, ptr %in
  store ptr %interpolant_at, ptr %in_1
  store ptr %cell, ptr %in_2
  store ptr %rotation, ptr %in_3
  store ptr %position, ptr %in_4
  store ptr %near, ptr %in_5
  store ptr %q, ptr %out
  store ptr %root_at, ptr %out_1
  call void %root_code(ptr %in, ptr %out)
  %root_value = load double, ptr %root_at
  %is_first = icmp eq i64 %k, 0
  br i1 %is_first, label %first_root, label %next_root
first_root:
  store double %root_value, ptr %first_at
  br label %refine
next_root:
  %before = load double, ptr %last_at
  %gap = fsub double %root_value, %before
  %apart = fcmp ogt double %gap, @GAP@
  br i1 %apart, label %refine, label %give_up

  ; Newton steps until nothing is missed, or no less than before
refine:
  store double %root_value, ptr %last_at
  %q_row_place = mul i64 %k, @N@
  %q_row = getelementptr double, ptr %q_out, i64 %q_row_place
  store double 0x7FF0000000000000, ptr %least_at
  store i64 0, ptr %steps_at
  store ptr %q, ptr %in
  store ptr %rotation, ptr %in_1
  store ptr %position, ptr %in_2
  store ptr %moved, ptr %out
  store ptr %error, ptr %out_1
  br label %stepping
stepping:
  call void %step_code(ptr %in, ptr %out)
  %metres = load double, ptr %error
  %error_1 = getelementptr double, ptr %error, i64 1
  %radians = load double, ptr %error_1
  %total = fadd double %metres, %radians
  %least = load double, ptr %least_at
  %better = fcmp olt double %total, %least
  br i1 %better, label %keep, label %worse
keep:
  store double %total, ptr %least_at
  call void @copy(ptr %q_row, ptr %q)
  %closed = fcmp ole double %total, @CLOSED@
  br i1 %closed, label %placing, label %another
worse:
  %met = fcmp ole double %least, @MISSED@
  br i1 %met, label %placing, label %another
another:
  %taken = load i64, ptr %steps_at
  %taken_next = add i64 %taken, 1
  store i64 %taken_next, ptr %steps_at
  call void @copy(ptr %q, ptr %moved)
  %enough = icmp eq i64 %taken_next, @STEPS@
  br i1 %enough, label %give_up, label %stepping

  ; whole turns, status and error; the distance of the hidden joint from its root
placing:
  call void @copy(ptr %q, ptr %q_row)
  store ptr %near, ptr %in_3
  store ptr %root_at, ptr %in_4
  store ptr %q_row, ptr %out
  %rest_place = mul i64 %k, 3
  %row = getelementptr double, ptr %rest, i64 %rest_place
  store ptr %row, ptr %out_1
  %row_1 = getelementptr double, ptr %row, i64 1
  store ptr %row_1, ptr %out_2
  store ptr %off_at, ptr %out_3
  call void %finish_code(ptr %in, ptr %out)
  %state = load double, ptr %row
  %reached = fcmp olt double %state, @OUT_OF_REACH@
  %off = load double, ptr %off_at
  %close = fcmp olt double %off, @OFF@
  %own = and i1 %reached, %close
  br i1 %own, label %roots, label %give_up

closing:
  %any = icmp ne i64 %count, 0
  br i1 %any, label %around, label %success
around:
  %first = load double, ptr %first_at
  %last = load double, ptr %last_at
  %turned = fadd double %first, @TURN@
  %last_gap = fsub double %turned, %last
  %wide = fcmp ogt double %last_gap, @GAP@
  br i1 %wide, label %success, label %give_up
success:
  %count_number = sitofp i64 %count to double
  store double %count_number, ptr %found_at
  store double 1.0, ptr %all_at
  ret void
}

define internal void @copy(ptr %to, ptr %from) nounwind {
entry:
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %i_next, %each ]
  %from_at = getelementptr double, ptr %from, i64 %i
  %value = load double, ptr %from_at
  %to_at = getelementptr double, ptr %to, i64 %i
  store double %value, ptr %to_at
  %i_next = add i64 %i, 1
  %done = icmp eq i64 %i_next, @N@
  br i1 %done, label %end, label %each
end:
  ret void
}
