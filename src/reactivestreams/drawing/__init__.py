"""Pictures as SVG, for pages, reports and notebooks: texts that break nothing, graphs of boxes, and charts."""
