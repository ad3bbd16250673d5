"""The application, in rooms; each imports only those below it.

cli
dashboard   reports
charts      results     pipeline
"""
