from reactivestreams.inspection.errors import InspectionError
from reactivestreams.inspection.opting_in import Inspection, allow_inspection, ask_process
from reactivestreams.inspection.picture import draw_mermaid, draw_svg
from rs_core.inspection.report import RunReport, StageReport, explain
from rs_core.inspection.running import running
from rs_core.inspection.stalls import Stall, diagnose

__all__ = [
    "Inspection",
    "InspectionError",
    "RunReport",
    "StageReport",
    "Stall",
    "allow_inspection",
    "ask_process",
    "diagnose",
    "draw_mermaid",
    "draw_svg",
    "explain",
    "running",
]
