"""Sessions and what ends with them; everything of a person, when that is to go."""
