"""The rules, one small function each: what the doctrine says (R1 to R36) and what it leaves out (X1 to X18)."""
