//! Compares small with recorded results: cargo test. Written by torquec.

use small::*;

/// Largest difference from the recorded results, relative to the largest of these.
fn difference(results: &[f64], recorded: &[f64]) -> f64 {
    let mut largest: f64 = 0.0;
    let mut worst: f64 = 0.0;
    for value in recorded {
        if value.abs() > largest {
            largest = value.abs();
        }
    }
    for (found, value) in results.iter().zip(recorded) {
        let same = found == value || (found.is_nan() && value.is_nan());
        let error = if same { 0.0 } else { (found - value).abs() };
        if !(error <= worst) {
            worst = if error.is_nan() { f64::INFINITY } else { error };
        }
    }
    if largest > 0.0 && worst.is_finite() {
        worst / largest
    } else {
        worst
    }
}

#[test]
fn product_agrees() {
    let recorded_a: [[f64; 2]; 4] = [
        [-0.605679, 0.784127],
        [0.844012, -1.063648],
        [1.008556, 1.195087],
        [0.638654, 1.125722],
    ];
    let recorded_b: [[f64; 2]; 4] = [
        [0.773756, -1.314979],
        [1.497528, -0.516756],
        [-0.347851, -1.021959],
        [-0.583628, -0.695254],
    ];
    let recorded_y: [[f64; 2]; 4] = [
        [0.796455165741, 0.010371000000000019],
        [-0.436148265072, -2.5611759999999997],
        [-1.030702881204, 1.542938],
        [-0.44402674811600007, 1.70935],
    ];
    for k in 0..4 {
        let mut found_y = [0.0; 2];
        product(&recorded_a[k], &recorded_b[k], &mut found_y);
        let error = difference(&found_y, &recorded_y[k]);
        assert!(error <= 1e-12, "y: error {error}");
    }
}
