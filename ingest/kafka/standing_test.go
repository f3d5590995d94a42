package kafka

import (
	"errors"
	"reflect"
	"testing"
)

func TestWhatLandedIsHeldAgainstWhatTheBrokersHave(t *testing.T) {
	p := func(cluster, topic, id string, number int32) Partition {
		return Partition{Cluster: cluster, Topic: topic, ID: id, Number: number}
	}
	now := p("c", "t", "new", 0)
	for _, c := range []struct {
		name   string
		held   Offsets
		landed map[Partition]int64
		at     int64 // -1: nothing landed of the topic yet
		lost   []Lost
	}{
		{"new to the stream", Offsets{3, 9, 9}, nil, -1, nil},
		{"within", Offsets{3, 9, 9}, map[Partition]int64{now: 5}, 5, nil},
		{"at the first that there is", Offsets{3, 9, 9}, map[Partition]int64{now: 3}, 3, nil},
		{"at the end", Offsets{3, 9, 9}, map[Partition]int64{now: 9}, 9, nil},
		{"all gone, and all had landed", Offsets{9, 9, 9}, map[Partition]int64{now: 9}, 9, nil},
		{"gone", Offsets{3, 9, 9}, map[Partition]int64{now: 2}, 2, []Lost{{now, 2, 3, ErrOffsetsGone}}},
		{"taken back", Offsets{3, 9, 9}, map[Partition]int64{now: 11}, 11, []Lost{{now, 9, 11, ErrOffsetsTakenBack}}},
		{"past an open transaction, which was read", Offsets{3, 5, 9}, map[Partition]int64{now: 7}, 7, nil},
		{"a partition that the topic got later", Offsets{0, 9, 9}, map[Partition]int64{p("c", "t", "new", 1): 5}, 0, nil},
		{"one whose first offsets are gone", Offsets{2, 9, 9}, map[Partition]int64{p("c", "t", "new", 1): 5}, 0, []Lost{{now, 0, 2, ErrOffsetsGone}}},
		{"made again", Offsets{0, 9, 9}, map[Partition]int64{p("c", "t", "old", 0): 5}, 0, []Lost{{p("c", "t", "old", 0), 5, closed, ErrTopicRecreated}}},
		{"of another cluster", Offsets{0, 9, 9}, map[Partition]int64{p("d", "t", "new", 0): 5}, 0, []Lost{{p("d", "t", "new", 0), 5, closed, ErrTopicRecreated}}},
		{"made again, and accepted", Offsets{0, 9, 9}, map[Partition]int64{p("c", "t", "old", 0): closed}, 0, nil},
		{"a topic that is not read", Offsets{3, 9, 9}, map[Partition]int64{p("c", "other", "old", 0): 5}, -1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := judge(map[Partition]Offsets{now: c.held}, c.landed)
			at, known := got.at[now]
			if !known {
				at = -1
			}
			if at != c.at || known == (len(got.fresh) == 1) || !reflect.DeepEqual(got.lost, c.lost) {
				t.Errorf("it reads on at %d, with %v new and %v lost; want %d and %v", at, got.fresh, got.lost, c.at, c.lost)
			}
		})
	}
}

func TestAPartitionIsKnownByItsName(t *testing.T) {
	p := Partition{Cluster: "a/b %c", Topic: "t.x-1", ID: "Zm9v_-", Number: 12}
	if got, ok := ParsePartition(p.String()); !ok || got != p {
		t.Errorf("%s is read as %v, %v", p, got, ok)
	}
	for _, text := range []string{"", "kafka:", "kafka:t/0", "kafka:c/t/i/x", "kafka:c/t/i/01", "file:c/t/i/1", "kafka:c/t/i/1/2", "kafka:%zz/t/i/1"} {
		if got, ok := ParsePartition(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestWhatWasTakenBackCanNotBeAccepted(t *testing.T) {
	err := &LostError{Stream: "s", Lost: []Lost{{Partition{Topic: "t"}, 9, 11, ErrOffsetsTakenBack}}}
	if !errors.Is(err, ErrOffsetsTakenBack) || errors.Is(err, ErrOffsetsGone) {
		t.Error("the error is of another kind")
	}
}

func TestWhatWasLostIsToldByTopicAndBriefly(t *testing.T) {
	p := func(id string, number int32) Partition {
		return Partition{Cluster: "c", Topic: "t", ID: id, Number: number}
	}
	err := &LostError{Stream: "s"}
	for n := range int32(5) {
		err.Lost = append(err.Lost, Lost{p("new", n), 0, 2, ErrOffsetsGone})
	}
	for n := range int32(2) {
		err.Lost = append(err.Lost, Lost{p("old", n), 9, closed, ErrTopicRecreated})
	}
	want := "read Kafka for stream s" +
		": the topic is not the one that landed so far (ID old, of cluster c): t/0 from offset 9 on, t/1 from offset 9 on" +
		": offsets are gone that have not landed (ID new, of cluster c): t/0 from offset 0 up to 2, t/1 from offset 0 up to 2, t/2 from offset 0 up to 2 and 2 more partitions" +
		"; nothing is read until somebody accepts that this is lost: strandline land s --accept-gap records it and goes on with what there is"
	if err.Error() != want {
		t.Errorf("it says\n%s\nwant\n%s", err, want)
	}
}
