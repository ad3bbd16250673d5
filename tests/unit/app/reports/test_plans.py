"""A plan as a report: each figure of each alternative, and all that is said of it."""

from app.reports.html import html
from app.reports.plans import document_of
from models_sim.plan import plan


def test_a_report_of_a_plan_has_its_workload_figures_and_remarks():
    workload = {"gb": 500, "file_size_mb": 100, "network": "10Gb", "machine": ["z15", "z16"]}
    made = plan(workload)
    document = document_of(made, workload)
    assert document.figures.count("\n") == made.frame().height + 1
    page = html(document)
    for words in ("10Gb", "machine z16", "elapsed, h", "limited by agents", "zIIPs needed"):
        assert words in page
