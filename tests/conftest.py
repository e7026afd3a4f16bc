"""What all tests share: how hard Hypothesis tries, and how Java starts."""

import os

from hypothesis import HealthCheck, settings

# A loaded machine draws slowly; that is no fault of the test.
_PATIENT = [HealthCheck.too_slow]

settings.register_profile(
    "ci",
    derandomize=True,  # the same cases on every machine; `make test-all` draws new ones
    print_blob=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=_PATIENT,
)
settings.register_profile(
    "exhaustive", settings.get_profile("ci"), derandomize=False, max_examples=2000
)
settings.load_profile("exhaustive" if os.environ.get("TOCSIN_EXHAUSTIVE") == "1" else "ci")

# The JVM of a test lives for minutes: what compiling for the long run gains later is lost at first.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1")
