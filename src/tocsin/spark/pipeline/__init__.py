"""A pipeline as a file: where events come from, what is asked of them, where notifications go.

Read it in this order: `settings` (what a file says), `keys`, `tables` and `read` (how it is
checked; `formats`, `ddl` and `spark_keys` know what Spark takes, `overlaps` and `occupied` what
lies where), `frames` (sources and sinks), `batch` and `stream`, `run` and `running` (what begins,
ends and fails), `interrupt`, `halt`, `queries` and `job_tag` (how it stops), `log`, `process`,
`alone`, `sentences` and `standing` (how far it is).
"""

from tocsin.spark.pipeline.log import RunLog, read_log
from tocsin.spark.pipeline.read import read_pipeline
from tocsin.spark.pipeline.run import run_pipeline
from tocsin.spark.pipeline.settings import Pipeline

__all__ = ["Pipeline", "RunLog", "read_log", "read_pipeline", "run_pipeline"]
