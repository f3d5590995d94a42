package arrowrows

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"strandline/internal/jsonrow"
)

// maxMemory is what the buffers of a file may take at once, in bytes.
const maxMemory = 2 << 30

// bounded is an allocator that gives no more than maxMemory: a few bytes that are
// compressed may say that they are any number. The readers turn its panic into an
// error.
type bounded struct {
	memory.GoAllocator
	used int
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
	b.used -= len(old)
	b.GoAllocator.Free(old)
}

func (b *bounded) take(more int) {
	if more > maxMemory-b.used {
		panic(fmt.Errorf("%w: a batch takes more than %d bytes of memory (write it in smaller ones)", jsonrow.ErrUnsupported, maxMemory))
	}
	b.used += more
}
