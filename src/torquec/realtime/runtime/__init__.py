"""Real-time loop that runs a control law on a robot: guards, drivers, counters, log and trace."""
