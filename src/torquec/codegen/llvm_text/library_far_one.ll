
define internal void @far_one(double %x, ptr %sine, ptr %cosine) cold noinline #0 {
  %sin = load ptr, ptr @libm_sin
  %cos = load ptr, ptr @libm_cos
  %s = call double %sin(double %x)
  %c = call double %cos(double %x)
  store double %s, ptr %sine
  store double %c, ptr %cosine
  ret void
}
