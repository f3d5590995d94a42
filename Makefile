GO    ?= go
BIN   := bin
MINIO := $(BIN)/minio

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
