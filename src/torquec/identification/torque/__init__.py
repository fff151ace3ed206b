"""The torque model of identification: parameters to estimate, regressor columns, friction laws."""
