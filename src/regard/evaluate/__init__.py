"""How good translations are, in numbers that others can compute again."""
