"""What scripts/bench measures: one module per figure, each with a `measure(effort)`, and what they share.

Figures compare CPU time with a yard-stick in the same process, in rounds of shuffled order: other load on the machine
then changes both sides, and hardly their ratio.
"""
