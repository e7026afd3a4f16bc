"""The matching workload of P-ToPSS, section 6.1: sequences over a pool of events."""
