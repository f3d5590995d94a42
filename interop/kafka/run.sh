#!/bin/sh
# Lands from a real Kafka broker, which comes from Maven Central into .cache/interop.
# Where it, Java or Maven can't be had the test is skipped, which it says; in CI that is
# a failure.
set -eu
cd "$(dirname "$0")/../.."
cache=$PWD/.cache/interop/kafka

skip() {
  echo "interop with Kafka: SKIPPED, nothing was tested: $1" >&2
  if [ "${CI:-}" = true ]; then exit 1; fi
  exit 0
}

if ! command -v java >/dev/null || ! command -v mvn >/dev/null; then
  [ "${CI:-}" = true ] || skip "there is no java or no mvn (Debian: apt-get install default-jre-headless maven)"
  { apt-get update -q && apt-get install -q -y default-jre-headless maven; } >&2 || skip "Debian has no java and maven"
fi
if ! cmp -s interop/kafka/pom.xml "$cache/installed.xml"; then
  rm -rf "$cache"
  mkdir -p "$cache"
  mvn -q -B -f interop/kafka/pom.xml dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$cache/libs" ||
    skip "Maven could not fetch what interop/kafka/pom.xml lists"
  cp interop/kafka/pom.xml "$cache/installed.xml"
fi

exec "${GO:-go}" run ./interop/kafka -strandline bin/strandline -libs "$cache/libs"
