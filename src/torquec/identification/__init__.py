"""From a log of the real robot to a trusted model: checks, preparation, estimators, statistics, excitation."""

from torquec.identification.check_log import check_log, check_log_pieces
from torquec.identification.checks.torque_delay import TorqueDelay, torque_delay, without_delay
from torquec.identification.estimate import Estimate, LogError, Parameter, bind
from torquec.identification.identify import IdentifyOptions, Method, identify
from torquec.identification.joint_factors import JointFactors, joint_factors, stream_factors
from torquec.identification.payload import Payload, identify_payload
from torquec.identification.prediction import Prediction, predict
from torquec.identification.prepare import Samples, prepare
from torquec.identification.stream_log import stream_log, stream_samples
from torquec.identification.torque_columns import FrictionModel, GasSpring, RecordedColumn
from torquec.identification.torque_model import TorqueModel, torque_model

__all__ = [
    "Estimate",
    "FrictionModel",
    "GasSpring",
    "IdentifyOptions",
    "JointFactors",
    "LogError",
    "Method",
    "Parameter",
    "Payload",
    "Prediction",
    "RecordedColumn",
    "Samples",
    "TorqueDelay",
    "TorqueModel",
    "bind",
    "check_log",
    "check_log_pieces",
    "identify",
    "identify_payload",
    "joint_factors",
    "predict",
    "prepare",
    "stream_factors",
    "stream_log",
    "stream_samples",
    "torque_delay",
    "torque_model",
    "without_delay",
]
