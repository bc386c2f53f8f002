"""Text that arrives dirty leaves clean; this is the package's whole public surface."""

from sanitize.display import CleanText, label, text
from sanitize.secrets import is_secret_prompt

__all__ = ["CleanText", "is_secret_prompt", "label", "text"]
