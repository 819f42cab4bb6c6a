"""Looking into streams that run: what each node waits for, and why a stream stands still."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.inspection.opting_in": ("Inspection", "allow_inspection", "ask_process"),
        "reactivestreams.inspection.errors": ("InspectionError",),
        "reactivestreams.inspection.picture": ("draw_mermaid", "draw_svg"),
        "rs_core.inspection.report": ("RunReport", "StageReport", "explain"),
        "rs_core.inspection.running": ("running",),
        "rs_core.inspection.stalls": ("Stall", "diagnose"),
    },
)
