//! Compares @PREFIX@ with recorded results: cargo test. Written by torquec.

use @PREFIX@::*;

/// Largest difference from the recorded results, relative to the largest of these.
fn difference(results: &[@REAL@], recorded: &[@REAL@]) -> @REAL@ {
    let mut largest: @REAL@ = 0.0;
    let mut worst: @REAL@ = 0.0;
    for value in recorded {
        if value.abs() > largest {
            largest = value.abs();
        }
    }
    for (found, value) in results.iter().zip(recorded) {
        let same = found == value || (found.is_nan() && value.is_nan());
        let error = if same { 0.0 } else { (found - value).abs() };
        if !(error <= worst) {
            worst = if error.is_nan() { @REAL@::INFINITY } else { error };
        }
    }
    if largest > 0.0 && worst.is_finite() {
        worst / largest
    } else {
        worst
    }
}
@TESTS@
