"""Hold error: torque error while coefficients are held between background samples."""
