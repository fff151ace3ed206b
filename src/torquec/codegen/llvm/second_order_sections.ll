; Two second-order sections over the columns of an array, sixteen columns at a time: second_order_sections.py.
define void @two_sections(ptr %data, i64 %rows, i64 %groups, i64 %step, ptr %coefficients, ptr %state) nounwind {
entry:
  %b0_at = getelementptr double, ptr %coefficients, i64 0
  %b0_one = load double, ptr %b0_at
  %b0_first = insertelement <16 x double> poison, double %b0_one, i32 0
  %b0 = shufflevector <16 x double> %b0_first, <16 x double> poison, <16 x i32> zeroinitializer
  %b1_at = getelementptr double, ptr %coefficients, i64 1
  %b1_one = load double, ptr %b1_at
  %b1_first = insertelement <16 x double> poison, double %b1_one, i32 0
  %b1 = shufflevector <16 x double> %b1_first, <16 x double> poison, <16 x i32> zeroinitializer
  %b2_at = getelementptr double, ptr %coefficients, i64 2
  %b2_one = load double, ptr %b2_at
  %b2_first = insertelement <16 x double> poison, double %b2_one, i32 0
  %b2 = shufflevector <16 x double> %b2_first, <16 x double> poison, <16 x i32> zeroinitializer
  %a1_at = getelementptr double, ptr %coefficients, i64 3
  %a1_one = load double, ptr %a1_at
  %a1_first = insertelement <16 x double> poison, double %a1_one, i32 0
  %a1 = shufflevector <16 x double> %a1_first, <16 x double> poison, <16 x i32> zeroinitializer
  %a2_at = getelementptr double, ptr %coefficients, i64 4
  %a2_one = load double, ptr %a2_at
  %a2_first = insertelement <16 x double> poison, double %a2_one, i32 0
  %a2 = shufflevector <16 x double> %a2_first, <16 x double> poison, <16 x i32> zeroinitializer
  %d0_at = getelementptr double, ptr %coefficients, i64 5
  %d0_one = load double, ptr %d0_at
  %d0_first = insertelement <16 x double> poison, double %d0_one, i32 0
  %d0 = shufflevector <16 x double> %d0_first, <16 x double> poison, <16 x i32> zeroinitializer
  %d1_at = getelementptr double, ptr %coefficients, i64 6
  %d1_one = load double, ptr %d1_at
  %d1_first = insertelement <16 x double> poison, double %d1_one, i32 0
  %d1 = shufflevector <16 x double> %d1_first, <16 x double> poison, <16 x i32> zeroinitializer
  %d2_at = getelementptr double, ptr %coefficients, i64 7
  %d2_one = load double, ptr %d2_at
  %d2_first = insertelement <16 x double> poison, double %d2_one, i32 0
  %d2 = shufflevector <16 x double> %d2_first, <16 x double> poison, <16 x i32> zeroinitializer
  %c1_at = getelementptr double, ptr %coefficients, i64 8
  %c1_one = load double, ptr %c1_at
  %c1_first = insertelement <16 x double> poison, double %c1_one, i32 0
  %c1 = shufflevector <16 x double> %c1_first, <16 x double> poison, <16 x i32> zeroinitializer
  %c2_at = getelementptr double, ptr %coefficients, i64 9
  %c2_one = load double, ptr %c2_at
  %c2_first = insertelement <16 x double> poison, double %c2_one, i32 0
  %c2 = shufflevector <16 x double> %c2_first, <16 x double> poison, <16 x i32> zeroinitializer
  br label %chunk

chunk:
  %start = phi i64 [ 0, %entry ], [ %stop, %chunk_done ]
  %left = sub i64 %rows, %start
  %short = icmp slt i64 %left, 64
  %count = select i1 %short, i64 %left, i64 64
  %stop = add i64 %start, %count
  %offset = mul i64 %start, %step
  %corner = getelementptr i8, ptr %data, i64 %offset
  br label %group

group:
  %g = phi i64 [ 0, %chunk ], [ %g_next, %group_done ]
  %group_first = getelementptr <16 x double>, ptr %corner, i64 %g
  %state_of_group = mul i64 %g, 4
  %z0_number = add i64 %state_of_group, 0
  %z0_at = getelementptr <16 x double>, ptr %state, i64 %z0_number
  %z0_start = load <16 x double>, ptr %z0_at, align 8
  %z1_number = add i64 %state_of_group, 1
  %z1_at = getelementptr <16 x double>, ptr %state, i64 %z1_number
  %z1_start = load <16 x double>, ptr %z1_at, align 8
  %z2_number = add i64 %state_of_group, 2
  %z2_at = getelementptr <16 x double>, ptr %state, i64 %z2_number
  %z2_start = load <16 x double>, ptr %z2_at, align 8
  %z3_number = add i64 %state_of_group, 3
  %z3_at = getelementptr <16 x double>, ptr %state, i64 %z3_number
  %z3_start = load <16 x double>, ptr %z3_at, align 8
  br label %row

row:
  %i = phi i64 [ 0, %group ], [ %i_next, %row ]
  %place = phi ptr [ %group_first, %group ], [ %place_next, %row ]
  %z0 = phi <16 x double> [ %z0_start, %group ], [ %z0_next, %row ]
  %z1 = phi <16 x double> [ %z1_start, %group ], [ %z1_next, %row ]
  %z2 = phi <16 x double> [ %z2_start, %group ], [ %z2_next, %row ]
  %z3 = phi <16 x double> [ %z3_start, %group ], [ %z3_next, %row ]
  %x = load <16 x double>, ptr %place, align 8
  %y_x = fmul <16 x double> %b0, %x
  %y = fadd <16 x double> %y_x, %z0
  %z0_x = fmul <16 x double> %b1, %x
  %z0_y = fmul <16 x double> %a1, %y
  %z0_difference = fsub <16 x double> %z0_x, %z0_y
  %z0_next = fadd <16 x double> %z0_difference, %z1
  %z1_x = fmul <16 x double> %b2, %x
  %z1_y = fmul <16 x double> %a2, %y
  %z1_next = fsub <16 x double> %z1_x, %z1_y
  %out_x = fmul <16 x double> %d0, %y
  %out = fadd <16 x double> %out_x, %z2
  %z2_x = fmul <16 x double> %d1, %y
  %z2_y = fmul <16 x double> %c1, %out
  %z2_difference = fsub <16 x double> %z2_x, %z2_y
  %z2_next = fadd <16 x double> %z2_difference, %z3
  %z3_x = fmul <16 x double> %d2, %y
  %z3_y = fmul <16 x double> %c2, %out
  %z3_next = fsub <16 x double> %z3_x, %z3_y
  store <16 x double> %out, ptr %place, align 8
  %place_next = getelementptr i8, ptr %place, i64 %step
  %i_next = add i64 %i, 1
  %rows_over = icmp eq i64 %i_next, %count
  br i1 %rows_over, label %group_done, label %row

group_done:
  store <16 x double> %z0_next, ptr %z0_at, align 8
  store <16 x double> %z1_next, ptr %z1_at, align 8
  store <16 x double> %z2_next, ptr %z2_at, align 8
  store <16 x double> %z3_next, ptr %z3_at, align 8
  %g_next = add i64 %g, 1
  %groups_over = icmp eq i64 %g_next, %groups
  br i1 %groups_over, label %chunk_done, label %group

chunk_done:
  %over = icmp eq i64 %stop, %rows
  br i1 %over, label %finish, label %chunk

finish:
  ret void
}
