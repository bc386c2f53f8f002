"""Text that arrives dirty leaves clean. Here is what most need; `lines`, `terminal` and `written` make spans of what was drawn or said."""

from sanitize.display import CleanText, label, text
from sanitize.secrets import is_secret_prompt

__all__ = ["CleanText", "is_secret_prompt", "label", "text"]
