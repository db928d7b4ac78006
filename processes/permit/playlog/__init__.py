"""Recorded permits of Dutch municipalities as permits of ours: the receipt of applications, task
by task (receipt.py), and whole building permits, phase by phase (phases.py)."""

from processes.permit.playlog.phases import PhasesDriver
from processes.permit.playlog.receipt import ReceiptDriver

drivers = {"permit-receipt": ReceiptDriver, "permit-bpic2015m1": PhasesDriver}
