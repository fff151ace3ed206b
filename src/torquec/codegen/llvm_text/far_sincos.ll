
define internal void @far_sincos(ptr %x, ptr %sine, ptr %cosine, i64 %width) cold noinline #0 {
entry:
  br label %element
element:
  %i = phi i64 [ 0, %entry ], [ %next, %skip ]
  %at = getelementptr double, ptr %x, i64 %i
  %angle = load double, ptr %at
  %size = call double @llvm.fabs.f64(double %angle)
  %far = fcmp ogt double %size, @LARGEST@
  br i1 %far, label %replace, label %skip
replace:
  %s_at = getelementptr double, ptr %sine, i64 %i
  %c_at = getelementptr double, ptr %cosine, i64 %i
  call void @far_one(double %angle, ptr %s_at, ptr %c_at)
  br label %skip
skip:
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %width
  br i1 %done, label %end, label %element
end:
  ret void
}
