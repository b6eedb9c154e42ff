"""The rules: one small module a subject, listed in `check`; a new rule is a function and a line there.

A rule takes a Subject and yields Findings. Each fault is named by one rule alone: what one rule names, the others take
for granted.
"""
