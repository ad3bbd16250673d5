"""What people and schedules use; each room imports only those below it.

cli
dashboard, reports
charts, results, pipeline
"""
