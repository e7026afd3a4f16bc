"""Write logins.jsonl: two hours of logins with a few break-ins among them.

Run it in this directory: python generate.py
"""

import datetime as dt
import json
import random
from pathlib import Path

SEED = 2007
BEGIN = dt.datetime(2026, 3, 2, 8, 0, tzinfo=dt.UTC)
MINUTES = 120
VISITS = 128

# Address, minute of the first attempt, seconds between refusals, how many, does it get in?
ATTACKS = [
    ("203.0.113.7", 12, 20, 3, True),  # found: three refusals in 40 seconds
    ("198.51.100.23", 31, 55, 4, True),  # found: any three of the four lie within five minutes
    ("203.0.113.99", 50, 400, 3, True),  # too slow: the third comes 13 minutes after the first
    ("192.0.2.66", 70, 10, 6, False),  # never gets in
    ("203.0.113.7", 95, 30, 3, True),  # found: the first address once more
]


def visits(random_source):
    """People at work: sometimes a slip, then in, perhaps a new password, then out."""
    for number in range(VISITS):
        ip = f"10.0.{number % 4}.{random_source.randint(10, 60)}"
        at = random_source.uniform(0, MINUTES * 60 - 1200)
        if random_source.random() < 0.15:
            yield at, "denied", ip
            at += random_source.uniform(5, 20)
        yield at, "success", ip
        if random_source.random() < 0.05:
            at += random_source.uniform(20, 60)
            yield at, "passwd", ip
        if random_source.random() < 0.9:
            yield at + random_source.uniform(60, 1100), "logoff", ip


def attacks():
    for ip, minute, gap, count, gets_in in ATTACKS:
        at = minute * 60.0
        for _ in range(count):
            yield at, "denied", ip
            at += gap
        if gets_in:
            yield at, "success", ip
            yield at + 240, "logoff", ip


def rows():
    random_source = random.Random(SEED)
    for at, status, ip in sorted([*visits(random_source), *attacks()]):
        ts = (BEGIN + dt.timedelta(seconds=round(at))).isoformat().replace("+00:00", "Z")
        yield {"ts": ts, "status": status, "ip": ip}


if __name__ == "__main__":
    lines = [json.dumps(row) + "\n" for row in rows()]
    Path("logins.jsonl").write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} rows")
