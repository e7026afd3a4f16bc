"""`tocsin bench spark`: the pipeline on Spark against what else one could do there."""
