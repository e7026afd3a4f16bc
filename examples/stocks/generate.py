"""Write prices.csv: three hours of prices of four stocks, one quote each every five minutes.

Run it in this directory: python generate.py
"""

import csv
import datetime as dt
import random

SEED = 19
BEGIN = dt.datetime(2026, 3, 2, 14, 30, tzinfo=dt.UTC)
TICKS = 37
STOCKS = {"IBM": 98.0, "MSFT": 25.5, "ACME": 10.0, "GLOBEX": 54.0}

# A large trade, a fall of a quarter of an hour, and a jump: what AutQ looks for.
PLANTED = {
    ("GLOBEX", 20): (55.0, 15_000),
    ("GLOBEX", 21): (54.2, 400),
    ("GLOBEX", 22): (53.1, 700),
    ("GLOBEX", 23): (52.6, 300),
    ("GLOBEX", 24): (55.6, 1_200),
}


def rows():
    random_source = random.Random(SEED)
    prices = dict(STOCKS)
    for tick in range(TICKS):
        for place, name in enumerate(prices):
            ts = BEGIN + dt.timedelta(minutes=5 * tick, seconds=10 * place)
            step = random_source.gauss(0.001, 0.012 if name != "ACME" else 0.03)
            prices[name] = round(prices[name] * (1 + step), 2)
            volume = random_source.randrange(100, 9_000, 100)
            if random_source.random() < 0.1:
                volume += 10_000
            prices[name], volume = PLANTED.get((name, tick), (prices[name], volume))
            yield [ts.isoformat().replace("+00:00", "Z"), name, prices[name], volume]


if __name__ == "__main__":
    with open("prices.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["ts", "name", "price", "volume"])
        found = list(rows())
        writer.writerows(found)
    print(f"{len(found)} rows")
