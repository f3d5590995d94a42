package arrowrows

import (
	"github.com/apache/arrow-go/v18/arrow/memory"

	"strandline/internal/jsonrow"
)

// bounded is an allocator that gives no more than there is room for: a few bytes that are
// compressed may say that they are any number. Its panic ends what the reader does; err
// says why.
type bounded struct {
	memory.GoAllocator
	room        jsonrow.Room
	stored      int64 // bytes of the file, which are read into memory beside what is unpacked
	used, taken int64 // bytes now, and in all
	err         error
}

func (b *bounded) Allocate(size int) []byte {
	b.take(size)
	return b.GoAllocator.Allocate(size)
}

func (b *bounded) Reallocate(size int, old []byte) []byte {
	b.take(size - len(old))
	return b.GoAllocator.Reallocate(size, old)
}

func (b *bounded) Free(old []byte) {
	b.used -= int64(len(old))
	b.GoAllocator.Free(old)
}

func (b *bounded) take(more int) {
	b.used += int64(more)
	b.taken += int64(max(more, 0))
	if b.err = b.room.Hold(b.used); b.err == nil {
		b.err = b.room.Unpack(b.taken - b.stored)
	}
	if b.err != nil {
		panic(b.err)
	}
}
