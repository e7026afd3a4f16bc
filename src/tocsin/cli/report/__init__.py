"""A page about a run that needs nothing else: plots, the plan, the words of the planner."""

from tocsin.cli.report.page import Report, to_html

__all__ = ["Report", "to_html"]
