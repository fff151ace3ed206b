
define internal void @copy_rows(ptr %from, ptr %to, i64 %size, i64 %rows, i64 %have) noinline #0 {
entry:
  %count = mul i64 %size, %rows
  %given = mul i64 %size, %have
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %element, label %end
element:
  %i = phi i64 [ 0, %entry ], [ %next, %element ]
  %place = urem i64 %i, %size
  %is_given = icmp slt i64 %i, %given
  %source = select i1 %is_given, i64 %i, i64 %place
  %source_at = getelementptr float, ptr %from, i64 %source
  %number = load float, ptr %source_at, align 4
  %target_at = getelementptr float, ptr %to, i64 %i
  store float %number, ptr %target_at, align 4
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %element, label %end
end:
  ret void
}
