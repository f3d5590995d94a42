// Package landing keeps what arrived, unchanged, for ever or as long as a stream's
// retain says: immutable segments of rows, each row with a stable position, and the
// log that says which segments a stream has.
//
// The write order is: segment files up, under names never used before; then
// one log entry, appended last. Until that entry is there nothing of the
// arrival exists for a reader, and with it all of it does.
package landing
