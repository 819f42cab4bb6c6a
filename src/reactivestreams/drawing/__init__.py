"""Pictures as SVG, for pages, reports and notebooks: escaped texts, graphs of boxes, and charts."""
