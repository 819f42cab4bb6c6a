.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-full spark-test spark-crash-test cluster-test kafka-test crash-test sanitize stress-long fuzz fuzz-state tck-selftest bench bench-instructions bench-peers bench-spark docs wheel portability check clean

help: ## say what there is
	@ci/help.sh

demo: ## set everything up and run the flights pipeline: here, across threads, on Spark
	@ci/demo.sh

test: ## build, and run the tests that take little: some minutes
	@ci/test.sh quick

test-all: ## run the rest: slow tests, Spark, packages, the debug build; ci/test.sh rest PART runs a part of it
	@ci/test.sh rest

test-full: ## all tests with every position and many more examples
	@RS_TEST_DEPTH=full ci/test.sh all

sanitize: ## tests between threads under the sanitizers and on a free-threaded interpreter; some 20 minutes on two cores
	@ci/sanitize.sh

stress-long: ## 10^9 operations on what threads share, then the stress tests at their greatest depth; Ctrl-C ends it
	@ci/stress_long.sh

tck-selftest: ## show the compatibility kit wrong components, and correct ones 200 times under load; up to an hour
	@ci/tck_selftest.sh

fuzz: ## run random streams in whose callbacks random things happen, a minute of each kind; Ctrl-C ends it
	@ci/fuzz.sh

fuzz-state: ## feed 10^7 damaged states to the loaders; a few minutes, Ctrl-C ends it
	@ci/fuzz_state.sh

spark-test: ## the tests of the Spark part alone, release build; ten minutes on two idle cores, fails if it takes longer
	@ci/spark_test.sh

crash-test: ## kill an engine 200 times with kill -9, at each step; no result may be lost or repeated
	@ci/crash_test.sh

kafka-test: ## run the engine's edges to Kafka beside a broker, which Maven fetches once
	@ci/test.sh rest kafka

spark-crash-test: ## kill the processes of streaming queries on Spark 100 times; no row may be lost or repeated
	@ci/spark_crash_test.sh

cluster-test: ## run the Spark part on a cluster of machines made of namespaces, with HDFS and S3; needs root
	@ci/cluster_test.sh

bench: ## measure, print the table of ratios and draw it
	@ci/bench.sh

bench-instructions: ## count the instructions of the hot paths; fails where one needs 2 % more than stored
	@ci/bench_instructions.sh

bench-peers: ## measure the same tasks here and in other libraries, in an environment of its own
	@ci/bench_peers.sh

bench-spark: ## measure the Spark part beside hand-written PySpark, print the table of ratios
	@ci/bench_spark.sh

docs: ## build the documentation and run its examples
	@ci/docs.sh

wheel: ## build the sdist, and the wheel from the sdist, into dist/
	@ci/wheel.sh

portability: ## compile the generated C++ for the systems and interpreters that are not at hand
	@ci/portability.sh

check: ## format, lint, types, import rules, rules of the architecture, spelling; needs no build
	@ci/check.sh

clean: ## remove what was built and the virtual environment
	@ci/clean.sh
