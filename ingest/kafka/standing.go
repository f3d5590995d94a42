package kafka

import (
	"cmp"
	"slices"
)

// standing is how a stream's topics stand: what the landing log says held against what
// the brokers have.
type standing struct {
	at    map[Partition]int64 // where to read on
	fresh []Partition         // those of topics that nothing has landed of
	lost  []Lost
}

// judge holds what has landed against what the brokers hold. Of landed only the
// partitions of the same topics count, whatever cluster or ID they have.
func judge(held map[Partition]Offsets, landed map[Partition]int64) standing {
	s := standing{at: map[Partition]int64{}}
	living, begun := map[string]Partition{}, map[string]bool{}
	for p := range held {
		p.Number = 0
		living[p.Topic] = p
	}
	for p, at := range landed {
		begun[p.Topic] = true
		now, declared := living[p.Topic]
		if declared && at != closed && (now.Cluster != p.Cluster || now.ID != p.ID) {
			s.lost = append(s.lost, Lost{Partition: p, From: at, To: closed, Kind: ErrTopicRecreated})
		}
	}
	for p, offsets := range held {
		at, known := landed[p]
		switch {
		case !known && !begun[p.Topic]:
			s.fresh = append(s.fresh, p)
			continue
		case at < offsets.Start:
			s.lost = append(s.lost, Lost{Partition: p, From: at, To: offsets.Start, Kind: ErrOffsetsGone})
		case at > offsets.End:
			s.lost = append(s.lost, Lost{Partition: p, From: offsets.End, To: at, Kind: ErrOffsetsTakenBack})
		}
		s.at[p] = at // 0 for a partition that its topic got later
	}
	slices.SortFunc(s.fresh, order)
	slices.SortFunc(s.lost, func(a, b Lost) int { return order(a.Partition, b.Partition) })
	return s
}

func order(a, b Partition) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Number, b.Number))
}
