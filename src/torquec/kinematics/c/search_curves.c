    for (k = 0; k < begun; ++k) {
        if (least_singular(found->q[k], rotation, position) < @TRACED@) {
            search_curve(found->q[k], rotation, position, found);
        }
    }
    for (k = 0; k < @B@; ++k) {
        if (missed[k]) {
            search_curve(ended[k], rotation, position, found);
        }
    }