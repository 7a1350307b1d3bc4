"""Other published formulations, behind the same interface, for comparison."""

from fairspectral.baselines.ffsc import FFSCStyle
from fairspectral.baselines.plain import PlainSpectral
from fairspectral.baselines.ufsc import UFSC

__all__ = ["UFSC", "FFSCStyle", "PlainSpectral"]
