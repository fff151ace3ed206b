
define i64 @repeat(ptr %plan) nounwind {
entry:
  %inputs = alloca [7 x ptr], align 16
  %outputs = alloca [2 x ptr], align 16
  %from_slot = alloca ptr, align 16
  %to_slot = alloca ptr, align 16
  %steps_at = getelementptr i64, ptr %plan, i64 0
  %steps = load i64, ptr %steps_at
  %runs_at = getelementptr i64, ptr %plan, i64 1
  %runs = load i64, ptr %runs_at
  %size_at = getelementptr i64, ptr %plan, i64 2
  %size = load i64, ptr %size_at
  %outer_at = getelementptr i64, ptr %plan, i64 3
  %outer = load ptr, ptr %outer_at
  %inner_at = getelementptr i64, ptr %plan, i64 4
  %inner = load ptr, ptr %inner_at
  %most_at = getelementptr i64, ptr %plan, i64 5
  %most = load i64, ptr %most_at
  %until_at = getelementptr i64, ptr %plan, i64 6
  %until = load i64, ptr %until_at
  %states_at = getelementptr i64, ptr %plan, i64 7
  %states = load ptr, ptr %states_at
  %log_at = getelementptr i64, ptr %plan, i64 8
  %log = load ptr, ptr %log_at
  %log_stride_at = getelementptr i64, ptr %plan, i64 9
  %log_stride = load i64, ptr %log_stride_at
  %scratch_at = getelementptr i64, ptr %plan, i64 10
  %scratch = load ptr, ptr %scratch_at
  %end_at = getelementptr i64, ptr %plan, i64 11
  %elements = mul i64 %runs, %size
  %row_bytes = shl i64 %size, 3
  %state_bytes = shl i64 %elements, 3
  %other = getelementptr i8, ptr %scratch, i64 %state_bytes
  %single = icmp eq i64 %runs, 1
  %counted = icmp slt i64 %until, 0
  %log_slot = getelementptr ptr, ptr %outputs, i64 1
  br label %step

step:
  %k = phi i64 [ 0, %entry ], [ %k_next, %maybe_more ]
  %offset = mul i64 %k, %state_bytes
  %x = getelementptr i8, ptr %states, i64 %offset
  %x_next = getelementptr i8, ptr %x, i64 %state_bytes
  store ptr %x, ptr %inputs

  %d0_at = getelementptr i64, ptr %plan, i64 12
  %d0 = load ptr, ptr %d0_at
  %ds0_at = getelementptr i64, ptr %plan, i64 13
  %ds0 = load i64, ptr %ds0_at
  %do0 = mul i64 %ds0, %k
  %dp0 = getelementptr i8, ptr %d0, i64 %do0
  %slot0 = getelementptr ptr, ptr %inputs, i64 1
  store ptr %dp0, ptr %slot0
  %d1_at = getelementptr i64, ptr %plan, i64 14
  %d1 = load ptr, ptr %d1_at
  %ds1_at = getelementptr i64, ptr %plan, i64 15
  %ds1 = load i64, ptr %ds1_at
  %do1 = mul i64 %ds1, %k
  %dp1 = getelementptr i8, ptr %d1, i64 %do1
  %slot1 = getelementptr ptr, ptr %inputs, i64 2
  store ptr %dp1, ptr %slot1
  %d2_at = getelementptr i64, ptr %plan, i64 16
  %d2 = load ptr, ptr %d2_at
  %ds2_at = getelementptr i64, ptr %plan, i64 17
  %ds2 = load i64, ptr %ds2_at
  %do2 = mul i64 %ds2, %k
  %dp2 = getelementptr i8, ptr %d2, i64 %do2
  %slot2 = getelementptr ptr, ptr %inputs, i64 3
  store ptr %dp2, ptr %slot2
  %d3_at = getelementptr i64, ptr %plan, i64 18
  %d3 = load ptr, ptr %d3_at
  %ds3_at = getelementptr i64, ptr %plan, i64 19
  %ds3 = load i64, ptr %ds3_at
  %do3 = mul i64 %ds3, %k
  %dp3 = getelementptr i8, ptr %d3, i64 %do3
  %slot3 = getelementptr ptr, ptr %inputs, i64 4
  store ptr %dp3, ptr %slot3
  %d4_at = getelementptr i64, ptr %plan, i64 20
  %d4 = load ptr, ptr %d4_at
  %ds4_at = getelementptr i64, ptr %plan, i64 21
  %ds4 = load i64, ptr %ds4_at
  %do4 = mul i64 %ds4, %k
  %dp4 = getelementptr i8, ptr %d4, i64 %do4
  %slot4 = getelementptr ptr, ptr %inputs, i64 5
  store ptr %dp4, ptr %slot4
  %d5_at = getelementptr i64, ptr %plan, i64 22
  %d5 = load ptr, ptr %d5_at
  %ds5_at = getelementptr i64, ptr %plan, i64 23
  %ds5 = load i64, ptr %ds5_at
  %do5 = mul i64 %ds5, %k
  %dp5 = getelementptr i8, ptr %d5, i64 %do5
  %slot5 = getelementptr ptr, ptr %inputs, i64 6
  store ptr %dp5, ptr %slot5
  store ptr %scratch, ptr %outputs
  %log_offset = mul i64 %k, %log_stride
  %log_row = getelementptr i8, ptr %log, i64 %log_offset
  store ptr %log_row, ptr %log_slot
  br i1 %single, label %outer_one, label %outer_many
outer_one:
  call void %outer(ptr %inputs, ptr %outputs)
  br label %repeat
outer_many:
  call void %outer(i64 %runs, ptr %inputs, ptr %outputs)
  br label %repeat

repeat:
  %i = phi i64 [ 0, %outer_one ], [ 0, %outer_many ], [ %i_next, %again ]
  %from = phi ptr [ %scratch, %outer_one ], [ %scratch, %outer_many ], [ %to, %again ]
  %to = phi ptr [ %other, %outer_one ], [ %other, %outer_many ], [ %from, %again ]
  store ptr %from, ptr %from_slot
  store ptr %to, ptr %to_slot
  br i1 %single, label %inner_one, label %inner_many
inner_one:
  call void %inner(ptr %from_slot, ptr %to_slot)
  br label %repeated
inner_many:
  call void %inner(i64 %runs, ptr %from_slot, ptr %to_slot)
  br label %repeated
repeated:
  %i_next = add i64 %i, 1
  %enough = icmp sge i64 %i_next, %most
  br i1 %counted, label %by_count, label %by_state
by_count:
  br i1 %enough, label %copy, label %again
by_state:
  %r = phi i64 [ 0, %repeated ], [ %r_next, %row_done ]
  %r_bytes = mul i64 %r, %row_bytes
  %row = getelementptr i8, ptr %to, i64 %r_bytes
  %left_at = getelementptr double, ptr %row, i64 %until
  %left = load double, ptr %left_at
  %going = fcmp ogt double %left, 0.0
  br i1 %going, label %unfinished, label %row_done
row_done:
  %r_next = add i64 %r, 1
  %rows_done = icmp eq i64 %r_next, %runs
  br i1 %rows_done, label %copy, label %by_state
unfinished:
  br i1 %enough, label %gave_up, label %again
again:
  br label %repeat

copy:
  %e = phi i64 [ 0, %by_count ], [ 0, %row_done ], [ %e_next, %copy ]
  %bad = phi i1 [ false, %by_count ], [ false, %row_done ], [ %bad_next, %copy ]
  %source = getelementptr i64, ptr %to, i64 %e
  %target = getelementptr i64, ptr %x_next, i64 %e
  %bits = load i64, ptr %source
  store i64 %bits, ptr %target
  %size_bits = and i64 %bits, 9223372036854775807
  %not_finite = icmp uge i64 %size_bits, 9218868437227405312
  %bad_next = or i1 %bad, %not_finite
  %e_next = add i64 %e, 1
  %copied = icmp eq i64 %e_next, %elements
  br i1 %copied, label %stepped, label %copy
stepped:
  %k_next = add i64 %k, 1
  br i1 %bad_next, label %diverged, label %maybe_more
maybe_more:
  %over = icmp eq i64 %k_next, %steps
  br i1 %over, label %finish, label %step
diverged:
  store i64 1, ptr %end_at
  ret i64 %k_next
gave_up:
  store i64 2, ptr %end_at
  ret i64 %k
finish:
  ret i64 %k_next
}
