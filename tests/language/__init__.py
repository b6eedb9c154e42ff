"""The language check: banned names and phrases, found in the source by its syntax tree."""
