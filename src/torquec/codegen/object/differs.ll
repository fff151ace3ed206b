
define internal i1 @differs(ptr %found, ptr %recorded, i32 %n, @REAL@ %tolerance) noinline #0 {
entry:
  %empty = icmp eq i32 %n, 0
  br i1 %empty, label %equal, label %measure
measure:
  %i = phi i32 [ 0, %entry ], [ %i_next, %measure ]
  %largest = phi @REAL@ [ 0.0, %entry ], [ %largest_next, %measure ]
  %m_at = getelementptr @REAL@, ptr %recorded, i32 %i
  %m = load @REAL@, ptr %m_at
  %m_size = call @REAL@ @llvm.fabs.@SUFFIX@(@REAL@ %m)
  %larger = fcmp ogt @REAL@ %m_size, %largest
  %finite = fcmp olt @REAL@ %m_size, @INFINITY@
  %takes = and i1 %larger, %finite
  %largest_next = select i1 %takes, @REAL@ %m_size, @REAL@ %largest
  %i_next = add i32 %i, 1
  %measured = icmp eq i32 %i_next, %n
  br i1 %measured, label %compare_all, label %measure
compare_all:
  %some = fcmp ogt @REAL@ %largest_next, 0.0
  %scale = select i1 %some, @REAL@ %largest_next, @REAL@ 1.0
  %allowed = fmul @REAL@ %scale, %tolerance
  br label %compare
compare:
  %k = phi i32 [ 0, %compare_all ], [ %k_next, %compare ]
  %bad = phi i1 [ false, %compare_all ], [ %bad_next, %compare ]
  %a_at = getelementptr @REAL@, ptr %found, i32 %k
  %b_at = getelementptr @REAL@, ptr %recorded, i32 %k
  %a = load @REAL@, ptr %a_at
  %b = load @REAL@, ptr %b_at
  %apart = fsub @REAL@ %a, %b
  %distance = call @REAL@ @llvm.fabs.@SUFFIX@(@REAL@ %apart)
  %near = fcmp ole @REAL@ %distance, %allowed
  %same = fcmp oeq @REAL@ %a, %b
  %a_nan = fcmp uno @REAL@ %a, %a
  %b_nan = fcmp uno @REAL@ %b, %b
  %both_nan = and i1 %a_nan, %b_nan
  %equal_value = or i1 %same, %both_nan
  %fine = or i1 %near, %equal_value
  %wrong = xor i1 %fine, true
  %bad_next = or i1 %bad, %wrong
  %k_next = add i32 %k, 1
  %compared = icmp eq i32 %k_next, %n
  br i1 %compared, label %end, label %compare
end:
  ret i1 %bad_next
equal:
  ret i1 false
}
