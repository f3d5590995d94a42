package kafka

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Partition is one partition of a topic for as long as that topic lives: one that is
// deleted and made again has a new ID.
type Partition struct {
	Cluster string // ID of the cluster
	Topic   string // name of the topic
	ID      string // of the topic, as the cluster gave it
	Number  int32
}

const scheme = "kafka:"

// String is the name by which the landing log knows how far the partition was read.
func (p Partition) String() string {
	return fmt.Sprintf("%s%s/%s/%s/%d", scheme, url.PathEscape(p.Cluster), p.Topic, p.ID, p.Number)
}

// rows is the source of the rows that come from the partition.
func (p Partition) rows() string { return fmt.Sprintf("%s%s/%d", scheme, p.Topic, p.Number) }

// at is how people name the partition.
func (p Partition) at() at { return at{p.Topic, p.Number} }

// at is a partition as clients name it.
type at struct {
	topic  string
	number int32
}

func (a at) String() string { return fmt.Sprintf("%s/%d", a.topic, a.number) }

// ParsePartition reads what String wrote; ok is false for any other text.
func ParsePartition(text string) (p Partition, ok bool) {
	rest, ok := strings.CutPrefix(text, scheme)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 4 {
		return Partition{}, false
	}
	cluster, err := url.PathUnescape(parts[0])
	number, wrong := strconv.ParseInt(parts[3], 10, 32)
	p = Partition{Cluster: cluster, Topic: parts[1], ID: parts[2], Number: int32(number)}
	return p, err == nil && wrong == nil && p.String() == text
}

// closed is where a partition stands that is never read again.
const closed = math.MaxInt64

// Offsets are those that the brokers hold of a partition: [Start, End). Up to Stable all
// transactions have ended.
type Offsets struct{ Start, Stable, End int64 }

// offsetsOf are those that the brokers held when they gave this.
func offsetsOf(p kgo.FetchPartition) Offsets {
	return Offsets{Start: p.LogStartOffset, Stable: p.LastStableOffset, End: p.HighWatermark}
}

// readable is where the offsets end that can be read.
func (o Offsets) readable(uncommitted bool) int64 {
	if uncommitted {
		return o.End
	}
	return o.Stable
}
