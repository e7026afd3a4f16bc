"""Three workloads that Apache Flink's CEP library runs too: logins, stock prices, a pool."""
