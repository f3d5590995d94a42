GO    ?= go
BIN   := bin
MINIO := $(BIN)/minio
# What "strandline --version" tells. Without git it is what Go knows of the sources.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
# Nothing that is built knows in which folder its sources lie, so that a fresh clone finds
# compiled, vetted and checked what another has. Without it, a clone that differs in nothing
# but its folder takes minutes for that.
export GOFLAGS := $(strip $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath)

.PHONY: help build demo test race soak
help: ## list what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the program, bin/strandline
	$(GO) build -ldflags='-X main.version=$(VERSION)' -o $(BIN)/strandline ./cmd/strandline

demo: build ## run the main job on real data, in the folder demo/
	tools/demo/demo.sh $(BIN)/strandline demo

# "make lint" vets. A test binary without symbols for debuggers, most of which link the SQL
# engine, is linked in three quarters of the time. What is in interop/ has make targets of
# its own.
TEST := $(GO) test -vet=off -ldflags=-s
test: $(MINIO) ## run all tests, over a real MinIO too
	$(TEST) -timeout 20m $$($(GO) list ./... | grep -v /interop/)

# What is concurrent. Few of these link the SQL engine, which is not built for the
# race detector and makes linking slow.
RACE := ./ingest/... ./landing ./manifests ./requests ./internal/log ./internal/objstore/... ./internal/localfile ./internal/scratch
race: $(MINIO) ## run the tests of what is concurrent under the race detector
	$(TEST) -race -timeout 20m $(RACE)

SEEDS ?= 200
soak: $(MINIO) ## try many more random histories: make soak SEEDS=1000
	STRANDLINE_SEEDS=$(SEEDS) $(GO) test -count 1 -timeout 24h ./e2e

HOURS ?= 8760
.PHONY: proof
proof: $(MINIO) ## backfill a year of hours on 3 workers, of which one is killed and one sleeps: make proof HOURS=8760
	STRANDLINE_HOURS=$(HOURS) $(GO) test -count 1 -timeout 2h -v -run TestABackfillOutlivesItsWorkers ./e2e

STEPS ?= 40
.PHONY: sim mutate
sim: ## live one simulated history and print it: make sim SEED=12 STEPS=40; without SEED, many: make sim SEEDS=1000
	$(GO) test -count 1 -timeout 24h ./sim -run Whatever -steps $(STEPS) $(if $(SEED),-v -seed $(SEED),-seeds $(SEEDS))

mutate: $(MINIO) ## break each invariant in turn, and see a test turn red: make mutate ONLY=fence
	$(GO) run ./tools/mutate $(if $(ONLY),-only $(ONLY))

.PHONY: minio
minio: $(MINIO) ## build the S3 server that tests run against (once, some minutes)

# A module of its own, so that nothing of MinIO enters ours. GOFLAGS and
# GOWORK of the caller are meant for our module and would break this build.
$(MINIO): tools/minio/go.mod tools/minio/go.sum
	@echo "building MinIO once; this takes 5 to 10 minutes on a small machine"
	@mkdir -p $(BIN)
	cd tools/minio && CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off $(GO) build -trimpath -ldflags='-s -w' \
		-o $(CURDIR)/$(MINIO).new github.com/minio/minio
	@mv $(MINIO).new $(MINIO)

.PHONY: interop
interop: build $(MINIO) ## have plain DuckDB and pyarrow, from PyPI, read what is published, and land from a real Kafka
	interop/run.sh
	GO="$(GO)" interop/kafka/run.sh

KUBE := $(BIN)/kube
.PHONY: kube
kube: build $(KUBE) ## run backfills on a real Kubernetes API server and Job controller (the first build: 10 minutes and more)
	STRANDLINE_KUBE=$(CURDIR)/$(KUBE) STRANDLINE_BIN=$(CURDIR)/$(BIN)/strandline $(GO) test -count 1 -timeout 10m -parallel 3 -v ./interop/kube

# A module of its own, as MinIO's is.
$(KUBE): tools/kube/go.mod tools/kube/go.sum $(wildcard tools/kube/*.go)
	@echo "building Kubernetes once; this takes 18 minutes of processor time"
	@mkdir -p $(BIN)
	cd tools/kube && CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off $(GO) build -trimpath -ldflags='-s -w' -o $(CURDIR)/$(KUBE).new .
	@mv $(KUBE).new $(KUBE)

# Measurements run code that is built as the program's is.
BENCH := $(GO) build -pgo=cmd/strandline/default.pgo -o $(BIN)/bench ./bench

.PHONY: bench
bench: ## measure against DuckDB alone, as ratios; see bench/README.md
	@mkdir -p $(BIN)
	$(BENCH)
	$(BIN)/bench

.PHONY: profile
profile: ## renew the profile that the compiler optimises the program by, where code that is hot has changed
	@mkdir -p $(BIN)
	$(BENCH)
	$(BIN)/bench -only profile

.PHONY: zones
zones: ## renew the time zone database that is embedded, from the Python package tzdata
	@mkdir -p $(BIN)/tzdata && rm -f $(BIN)/tzdata/*.whl
	python3 -m pip download --quiet --no-deps --only-binary :all: --dest $(BIN)/tzdata tzdata
	$(GO) run ./tools/zones $(BIN)/tzdata/*.whl internal/zone/tzdata.zip

LINTERS := $(BIN)/depguard $(BIN)/staticcheck

.PHONY: lint
lint: $(LINTERS) ## formatting, vet, staticcheck, and the import arrows
	@unformatted=$$(gofmt -l $$($(GO) list -f '{{.Dir}}' ./...)); test -z "$$unformatted" || \
		{ echo "gofmt these files: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(BIN)/depguard ./...
	$(BIN)/staticcheck ./...

$(LINTERS): tools/lint/go.mod tools/lint/go.sum
	@mkdir -p $(BIN)
	cd tools/lint && GOFLAGS=-mod=readonly GOWORK=off $(GO) build -o $(CURDIR)/$(BIN)/ tool
