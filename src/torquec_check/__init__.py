"""An independent checker of Torquec's proofs: a second package, small enough to be read in an afternoon.

It imports nothing of `torquec`, only the standard library, NumPy and python-flint. Read it in this order:

    document           strict JSON                       robot, program    what a certificate is about
    rows               torques as polynomials, in balls: numbers with error radii, on a grid
    recursion          the robot's own torques           rounding          the program in doubles or floats
    boxes              bounds over boxes of positions    program_error     torque and coefficient errors
    parts, positive_mass, free_base, specification       the other claims, one file each
    certificate        a document with claims, proven
    c_source, package  the generated C and its folder
    claim, __main__    what was proven, in one sentence, and the command `python -m torquec_check`

docs/trusted-base.md is the mathematics of these files, in the same order, with every assumption.
"""
