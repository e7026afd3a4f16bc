"""How often subscriptions would have fired over history, and how that follows their parameters.

Read it in this order: `sweep` (which subscriptions), `history` and `on_spark` (who counts),
`results`.
"""
