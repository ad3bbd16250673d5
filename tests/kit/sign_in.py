"""Settings of sign-in to the dashboard."""

SETTINGS = """
[auth]
redirect_uri = "https://perfhouse.example.com/oauth2callback"
cookie_secret = "0123456789abcdef0123456789abcdef"
client_id = "perfhouse"
client_secret = "a secret"
server_metadata_url = "https://sign-in.example.com/.well-known/openid-configuration"

[roles]
reader = ["*@example.com"]
triager = ["Ann@example.com"]
"""
