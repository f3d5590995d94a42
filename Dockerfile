# The program links the SQL engine, which is C++, so that the images of both stages have
# the same C library: Debian's. Another registry's copies are named by the arguments.
ARG GO_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# What "strandline --version" tells, since the sources come without git.
ARG VERSION
RUN CGO_ENABLED=1 go build -trimpath -ldflags="-s -w -X main.version=${VERSION}" -o /strandline ./cmd/strandline

FROM ${BASE_IMAGE}
# Certificates, for S3 and Kafka over TLS; the time zones are in the program.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libstdc++6 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /strandline /usr/local/bin/strandline
# strandline.yaml is looked for here. Nothing is written here but a lake in a folder.
WORKDIR /etc/strandline
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/strandline"]
CMD ["run"]
