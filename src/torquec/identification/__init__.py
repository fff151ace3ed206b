"""From a log of the real robot to a trusted model: checks, preparation, estimators, statistics, excitation."""

from torquec.identification.estimators.joint_factors import JointFactors, joint_factors, stream_factors
from torquec.identification.estimators.method import Method
from torquec.identification.estimators.regressor_factors import RegressorSum, blocks_of, regressor_factors
from torquec.identification.identify import identify
from torquec.identification.identify_options import IdentifyOptions, Reading
from torquec.identification.logs.check_log import check_log, check_log_pieces
from torquec.identification.logs.prepare import Samples, prepare
from torquec.identification.logs.stream_log import stream_log, stream_samples
from torquec.identification.logs.torque_delay import TorqueDelay, torque_delay, without_delay
from torquec.identification.payload import Payload, identify_payload
from torquec.identification.result.estimate import Estimate, LogError, bind_parameters
from torquec.identification.result.prediction import Prediction, predict
from torquec.identification.result.verdict import Parameter, Trust, Verdict
from torquec.identification.torque.coulomb_shape import CoulombShape, Turnover
from torquec.identification.torque.parameter_kind import ParameterKind
from torquec.identification.torque.torque_columns import (
    FrictionLaw,
    FrictionModel,
    GasSpring,
    RecordedColumn,
)
from torquec.identification.torque.torque_model import TorqueModel, torque_model

__all__ = [
    "CoulombShape",
    "Estimate",
    "FrictionLaw",
    "FrictionModel",
    "GasSpring",
    "IdentifyOptions",
    "JointFactors",
    "LogError",
    "Method",
    "Parameter",
    "ParameterKind",
    "Payload",
    "Prediction",
    "Reading",
    "RecordedColumn",
    "RegressorSum",
    "Samples",
    "TorqueDelay",
    "TorqueModel",
    "Trust",
    "Turnover",
    "Verdict",
    "bind_parameters",
    "blocks_of",
    "check_log",
    "check_log_pieces",
    "identify",
    "identify_payload",
    "joint_factors",
    "predict",
    "prepare",
    "regressor_factors",
    "stream_factors",
    "stream_log",
    "stream_samples",
    "torque_delay",
    "torque_model",
    "without_delay",
]
