"""Who offers models beside Bedrock."""

KEYS = {"openai-chat": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""The secret (behind the deployment's prefix) with the key of each provider that needs one."""
