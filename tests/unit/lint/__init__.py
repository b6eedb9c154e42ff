"""Tests of `satchel lint`: what it says of outputs, of those of the specifications above all."""
