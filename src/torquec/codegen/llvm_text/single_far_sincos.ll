
define internal void @far_sincos(ptr %x, ptr %sine, ptr %cosine, i64 %width) cold noinline #0 {
entry:
  %s_wide = alloca double
  %c_wide = alloca double
  br label %element
element:
  %i = phi i64 [ 0, %entry ], [ %next, %skip ]
  %at = getelementptr float, ptr %x, i64 %i
  %angle = load float, ptr %at
  %wide = fpext float %angle to double
  %size = call double @llvm.fabs.f64(double %wide)
  %far = fcmp ogt double %size, @LARGEST@
  br i1 %far, label %replace, label %skip
replace:
  call void @far_one(double %wide, ptr %s_wide, ptr %c_wide)
  %s = load double, ptr %s_wide
  %c = load double, ptr %c_wide
  %s_narrow = fptrunc double %s to float
  %c_narrow = fptrunc double %c to float
  %s_at = getelementptr float, ptr %sine, i64 %i
  %c_at = getelementptr float, ptr %cosine, i64 %i
  store float %s_narrow, ptr %s_at
  store float %c_narrow, ptr %c_at
  br label %skip
skip:
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %width
  br i1 %done, label %end, label %element
end:
  ret void
}
