"""MQ with z/OS Container Extensions (document 001)."""
