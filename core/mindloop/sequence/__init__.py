"""Follow-up sequences: sets of coupled workflows, checked, proved, simulated, patched and measured."""
