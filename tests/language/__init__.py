"""Check of the language: banned names, phrases and spellings in code and documents."""
