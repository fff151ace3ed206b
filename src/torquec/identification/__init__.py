"""From a log of the real robot to a trusted model: checks, preparation, estimators, statistics, excitation."""
