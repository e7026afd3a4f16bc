"""Subscriptions in SQL: `SELECT * FROM tocsin_match(TABLE(logins), 'SUBSCRIBE …', 'ts')`."""

from tocsin.spark.sql.register import register

__all__ = ["register"]
