"""Pictures as SVG, for pages, reports and notebooks: texts that break nothing, and graphs of boxes."""
