package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"strandline/landing"
	"strandline/manifests"
	"strandline/sweep"
	"strandline/window"
)

// history holds what a table's results were computed from against the landing
// logs, as planning does.
func (r *run) history(ctx context.Context, room Room, x *manifests.Examined) error {
	readings := map[string][]manifests.Reading{} // by stream
	for _, reading := range x.Snapshot.Readings() {
		for stream := range reading.Positions {
			readings[stream] = append(readings[stream], reading)
		}
	}
	for _, stream := range slices.Sorted(maps.Keys(readings)) {
		if err := r.historyOf(ctx, room, stream, readings[stream]); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) historyOf(ctx context.Context, room Room, stream string, readings []manifests.Reading) error {
	if table, is := manifests.InputTable(stream); is {
		return r.versionsOf(ctx, room, table, readings)
	}
	x := r.streams[stream]
	if x == nil {
		readings = slices.DeleteFunc(readings, func(g manifests.Reading) bool { return g.Positions[stream] == 0 })
	}
	switch {
	case x == nil && len(readings) == 0: // nothing ever landed, and nothing was read
		return nil
	case x == nil:
		source := Room{sweep.AreaLanding, stream}
		r.tell(Fault{
			Name: MissingLog, Room: source, Key: source.Prefix() + "log/", Partitions: partitionsOf(readings),
			Seen: fmt.Sprintf("table %s was computed from the stream, and the lake has none of that name", room.Name),
		})
		return nil
	case !x.Known:
		return nil // its own faults are told, and this would follow from them
	}
	wrong, first := r.unbacked(room, stream, x.State, readings)
	if len(wrong) > 0 { // others may have landed and published since
		if err := r.newest(ctx, stream, func(s *landing.State) { wrong, first = r.unbacked(room, stream, s, wrong) }); err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		r.tell(Fault{Name: UnbackedReceipt, Room: room, Key: room.Prefix() + "log/", Seen: first.Error(), Partitions: partitionsOf(wrong)})
	}
	return nil
}

// versionsOf holds what a table's results were computed from against the log of another
// table.
func (r *run) versionsOf(ctx context.Context, room Room, table string, readings []manifests.Reading) error {
	snapshot, err := manifests.Open(r.Store, table, manifests.Options{}).Snapshot(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return nil // its own faults are told, and this would follow from them
	}
	var wrong []manifests.Reading
	var first error
	for _, reading := range readings {
		if err := window.CheckHead(room.Name, reading, manifests.TableInput(table), int64(snapshot.Version)); err != nil {
			wrong, first = append(wrong, reading), cmp.Or(first, err)
		}
	}
	if len(wrong) > 0 {
		r.tell(Fault{Name: UnbackedReceipt, Room: room, Key: room.Prefix() + "log/", Seen: first.Error(), Partitions: partitionsOf(wrong)})
	}
	return nil
}

// unbacked returns the readings that the landing log does not bear out, and why
// the first of them is one.
func (r *run) unbacked(room Room, stream string, s *landing.State, readings []manifests.Reading) (wrong []manifests.Reading, first error) {
	for _, reading := range readings {
		if err := r.check(room, stream, s, reading); err != nil {
			wrong = append(wrong, reading)
			if first == nil {
				first = err
			}
		}
	}
	return wrong, first
}

// check holds one reading against the log: its rows where the code is known, and
// else its positions.
func (r *run) check(room Room, stream string, s *landing.State, reading manifests.Reading) error {
	for _, j := range r.Jobs {
		if in, reads := j.StreamInput(stream); reads && j.Name == room.Name {
			return j.CheckInput(j.Fingerprint, in, window.StreamHead(s), reading)
		}
	}
	if upTo := landing.Position(reading.Positions[stream]); upTo > s.Next() {
		return fmt.Errorf("partition %s was computed from positions up to %d of stream %s, which ends at %d", reading.Partition, upTo, stream, s.Next())
	}
	return nil
}

func partitionsOf(readings []manifests.Reading) []string {
	names := make([]string, len(readings))
	for i, reading := range readings {
		names[i] = reading.Partition
	}
	slices.Sort(names)
	return slices.Compact(names)
}
