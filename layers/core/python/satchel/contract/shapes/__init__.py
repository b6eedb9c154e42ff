"""The shapes in which tools return things: one module a shape, so that a new shape is a new module and a line.

Two kinds, listed in ``normalize``. *Recognisers* find the payload in an answer (``structured``, ``model_text``, …):
the first that knows the answer wins. *Parts* take out of a payload what they know (``v1_arrays``, ``bibliography``, …)
and put it into a Draft: every part has its turn. ``answer`` and ``draft`` are what both stand on.
"""
